package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.redis.RedisOutboxException;
import io.outbox.testservers.RedisServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** An outbox in Redis that finds its primary by {@code spring.data.redis.sentinel}. */
class OutboxRedisSentinelTest {

    /** A sentinel that was kept from running for two seconds does nothing for half a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final int SOME = 10;

    private RedisServer primary;
    private RedisServer replica;
    private RedisServer sentinel;
    private RedisClient client;
    private RedisCommands<String, String> old;
    private RedisCommands<String, String> promoted;
    private RedisSentinelCommands<String, String> control;
    private int written;

    @BeforeEach
    void start() {
        primary = RedisServer.start("--repl-diskless-sync-delay", "0");
        replica = RedisServer.start("--replicaof", "127.0.0.1 " + primary.port(), "--masterauth", primary.password());
        client = RedisClient.create();
        old = commands(primary);
        old.configSet("masterauth", primary.password());
        promoted = commands(replica);
        promoted.configSet("requirepass", primary.password());
        await().atMost(PATIENCE).until(() -> promoted.info("replication").contains("master_link_status:up"));
        sentinel = RedisServer.startSentinel("shop", primary);
        control = client.connectSentinel(uri(sentinel)).sync();
    }

    @AfterEach
    void end() {
        client.shutdown();
        sentinel.close();
        replica.close();
        primary.close();
    }

    private RedisCommands<String, String> commands(RedisServer server) {
        return client.connect(uri(server)).sync();
    }

    private static RedisURI uri(RedisServer server) {
        return RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(server.port())
                .withPassword(server.password().toCharArray())
                .build();
    }

    private ApplicationContextRunner runner() {
        return TestApplication.runner(Deliveries.class)
                .withPropertyValues(
                        "outbox.backend=redis",
                        "spring.data.redis.sentinel.master=shop",
                        "spring.data.redis.sentinel.nodes=127.0.0.1:" + sentinel.port(),
                        "spring.data.redis.sentinel.password=" + sentinel.password(),
                        "spring.data.redis.password=" + primary.password(),
                        "spring.data.redis.timeout=10s");
    }

    @Test
    void goesOnWithWhatThePromotedReplicaHas() {
        runner().run(context -> {
            write(context, "1");
            awaitPayloads(context, "1");
            context.getBean(Outbox.class).pause();
            write(context, "2");
            await().atMost(PATIENCE)
                    .until(() ->
                            promoted.zcard("{outbox}:outbox:done") == 1 && promoted.hlen("{outbox}:outbox:event") == 2);

            failOver();
            await().atMost(PATIENCE).until(this::isReplaced);
            primary.kill();
            context.getBean(Outbox.class).resume();

            awaitDelivered(context, List.of("2"));
            await().atMost(PATIENCE).until(() -> isWritten(context, "3"));
            awaitPayloads(context, "1", "2", "3");
        });
    }

    /**
     * The old primary takes writes for a while after the promotion, which nobody confirms; nothing is delivered from
     * it.
     */
    @Test
    void losesNothingThatAReplicaHasConfirmedBeforeItWasPromoted() {
        runner().withPropertyValues("outbox.redis.wait-for-replicas=1", "outbox.redis.replica-timeout=1s")
                .run(context -> {
                    List<String> confirmed = new ArrayList<>();
                    context.getBean(Outbox.class).pause();
                    writeUntil(context, confirmed, () -> confirmed.size() >= SOME);

                    failOver();
                    writeUntil(context, confirmed, this::isOldOneAReplica);
                    int before = confirmed.size();
                    writeUntil(context, confirmed, () -> confirmed.size() >= before + SOME);
                    context.getBean(Outbox.class).resume();

                    awaitDelivered(context, confirmed);
                });
    }

    /** Sentinels end all connections to a server that they make a replica, this one too. */
    private boolean isOldOneAReplica() {
        try {
            return old.info("replication").contains("role:slave");
        } catch (RedisException e) {
            return false;
        }
    }

    /** Writes events, and notes those that were confirmed. */
    private void writeUntil(ApplicationContext context, List<String> confirmed, Callable<Boolean> condition) {
        await().pollInSameThread()
                .pollInterval(Duration.ofMillis(10))
                .atMost(PATIENCE)
                .until(() -> {
                    String payload = Integer.toString(++written);
                    if (isWritten(context, payload)) {
                        confirmed.add(payload);
                    }
                    return condition.call();
                });
    }

    private static boolean isWritten(ApplicationContext context, String payload) {
        try {
            write(context, payload);
            return true;
        } catch (RedisOutboxException e) {
            return false;
        }
    }

    private static void write(ApplicationContext context, String payload) {
        context.getBean(OutboxWriter.class).write("Placed", payload);
    }

    private static void awaitDelivered(ApplicationContext context, List<String> payloads) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(context.getBean(Deliveries.class).events)
                        .extracting(EventEnvelope::payloadJson)
                        .containsAll(payloads));
    }

    /** Tells the sentinel to promote the replica. */
    private void failOver() {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(RedisCommandExecutionException.class)
                .until(() -> control.failover("shop").equals("OK"));
    }

    private boolean isReplaced() {
        return ((InetSocketAddress) control.getMasterAddrByName("shop")).getPort() == replica.port();
    }
}
