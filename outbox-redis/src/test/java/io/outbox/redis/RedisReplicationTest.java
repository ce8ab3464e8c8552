package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventCount;
import io.outbox.spi.TransactionEnd;
import io.outbox.testservers.RedisServer;
import io.outbox.testservers.TcpProxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A primary with a replica, which may lag behind and take over. */
class RedisReplicationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    /** A sentinel that was kept from running for two seconds does nothing for half a minute. */
    private static final Duration LONG = Duration.ofMinutes(2);

    private RedisServer primary;
    private RedisServer replica;
    private RedisClient client;

    @BeforeEach
    void start() {
        primary = RedisServer.start("--repl-diskless-sync-delay", "0");
        replica = RedisServer.start(
                "--replicaof",
                "127.0.0.1 " + primary.port(),
                "--masterauth",
                primary.password(),
                "--repl-timeout",
                "60");
        client = RedisClient.create(Redis.RESOURCES);
        await().atMost(PATIENCE)
                .until(() -> commands(replica).info("replication").contains("master_link_status:up"));
    }

    @AfterEach
    void end() {
        client.shutdown();
        replica.close();
        primary.close();
    }

    private RedisCommands<String, String> commands(RedisServer server) {
        return client.connect(Redis.uri(server)).sync();
    }

    private RedisOutbox waiting(Duration limit) {
        return RedisOutbox.builder(Redis.uri(primary))
                .clientResources(Redis.RESOURCES)
                .waitForReplicas(1, limit)
                .connect();
    }

    @Test
    void aWriterThatWaitsForReplicasLosesNothingWhenOneIsPromoted() {
        String id;
        String another;
        try (RedisOutbox redis = waiting(PATIENCE.dividedBy(2));
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            id = outbox.writer().write("Kept", "{}");
            another = redis.callInTransaction(commands -> outbox.writer().write("Kept", "{}"));
            redis.runScript(
                    "return 1", List.of(), List.of(), () -> outbox.writer().write("Kept", "{}"));
        }
        primary.kill();
        RedisCommands<String, String> promoted = commands(replica);
        promoted.replicaofNoOne();

        assertThat(StoredEvents.find(promoted, RedisOutbox.DEFAULT_NAME, id)).isPresent();
        assertThat(StoredEvents.find(promoted, RedisOutbox.DEFAULT_NAME, another))
                .isPresent();
        assertThat(promoted.hlen("{outbox}:outbox:event")).isEqualTo(3);
    }

    /** The replica's connection stands still, as one to another continent does. */
    @Test
    void whatAReplicaHasNotReceivedIsGoneAsAWholeWhenItIsPromoted() throws Exception {
        try (TcpProxy link = TcpProxy.start(primary.port());
                RedisServer behind = RedisServer.start(
                        "--replicaof", "127.0.0.1 " + link.port(), "--masterauth", primary.password());
                RedisOutbox redis = Redis.connect(Redis.uri(primary), RedisOutbox.DEFAULT_NAME);
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            RedisCommands<String, String> copy = commands(behind);
            placeOrder(redis, outbox, "received");
            await().atMost(PATIENCE).until(() -> copy.sismember("{outbox}:orders", "received"));
            link.stall();
            placeOrder(redis, outbox, "acknowledged");

            primary.kill();
            copy.replicaofNoOne();

            assertThat(copy.smembers("{outbox}:orders")).containsExactly("received");
            assertThat(copy.hkeys("{outbox}:outbox:event")).containsExactly("received");
            Layout.of(copy, RedisOutbox.DEFAULT_NAME).assertConsistent();
        }
    }

    private static void placeOrder(RedisOutbox redis, Outbox outbox, String id) {
        redis.inTransaction(commands -> {
            commands.sadd("{outbox}:orders", id);
            outbox.writer()
                    .write(EventEnvelope.builder("Placed")
                            .eventId(id)
                            .payloadJson("{}")
                            .build());
        });
    }

    @Test
    void aWriterIsToldThatReplicasDoNotConfirmThoughTheEventIsStored() {
        try (RedisOutbox redis = waiting(SHORT);
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            replica.pause();

            assertThatThrownBy(() -> outbox.writer().write("Unsure", "{}"))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("only 0 of 1 replicas");
            assertThatThrownBy(() ->
                            redis.inTransaction(commands -> outbox.writer().write("Unsure", "{}")))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("only 0 of 1 replicas");

            replica.resume();
            assertThat(redis.backend().counts()).containsExactly(new EventCount("Unsure", 2, 0));
        }
    }

    @Test
    void aScriptThatDeclinesOrMeetsADuplicateWaitsForNobody() {
        try (RedisOutbox redis = waiting(SHORT);
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            EventEnvelope event = EventEnvelope.ofJson("Unsure", "{}");
            replica.pause();
            assertThatThrownBy(() -> outbox.writer().write(event)).hasMessageContaining("only 0 of 1 replicas");

            assertThat(redis.runScript(
                            "return false",
                            List.of(),
                            List.of(),
                            () -> outbox.writer().write("Declined", "{}")))
                    .isNull();
            assertThatThrownBy(() -> outbox.writer().write(event)).isInstanceOf(DuplicateEventException.class);
            assertThatThrownBy(() -> redis.runScript(
                            "return 1",
                            List.of(),
                            List.of(),
                            () -> outbox.writer().write(event)))
                    .isInstanceOf(DuplicateEventException.class);
            replica.resume();
        }
    }

    @Test
    void anEventThatIsStoredAndNotConfirmedIsToldAsCommitted() {
        try (RedisOutbox redis = waiting(SHORT);
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            replica.pause();
            List<TransactionEnd> ends = new ArrayList<>();
            Runnable write = () -> {
                redis.backend().afterCompletion(ends::add);
                outbox.writer().write("Unsure", "{}");
            };

            assertThatThrownBy(() -> redis.inTransaction(commands -> write.run()))
                    .hasMessageContaining("only 0 of 1 replicas");
            assertThatThrownBy(() -> redis.runScript("return 1", List.of(), List.of(), write))
                    .hasMessageContaining("only 0 of 1 replicas");

            assertThat(ends).containsExactly(TransactionEnd.COMMITTED, TransactionEnd.COMMITTED);
            replica.resume();
        }
    }

    @Test
    void anOutboxBehindASentinelFollowsItToTheNewPrimary() {
        commands(replica).configSet("requirepass", primary.password());
        try (RedisServer sentinel = RedisServer.startSentinel("shop", primary)) {
            RedisURI uri = RedisURI.builder()
                    .withSentinel("127.0.0.1", sentinel.port(), sentinel.password())
                    .withSentinelMasterId("shop")
                    .withPassword(primary.password().toCharArray())
                    .withTimeout(PATIENCE)
                    .build();
            try (RedisOutbox redis = Redis.connect(uri, RedisOutbox.DEFAULT_NAME);
                    Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
                outbox.writer().write("Kept", "{}");
                RedisCommands<String, String> copy =
                        client.connect(replicaUri()).sync();
                await().atMost(PATIENCE).until(() -> copy.hlen("{outbox}:outbox:event") == 1);
                failOver(sentinel);

                await().atMost(LONG)
                        .ignoreExceptions()
                        .until(() -> redis.backend().counts().equals(List.of(new EventCount("Kept", 1, 0))));
                redis.inTransaction(commands -> commands.set("{outbox}:order", "placed"));
            }
        }
        assertThat(client.connect(replicaUri()).sync().get("{outbox}:order")).isEqualTo("placed");
    }

    private RedisURI replicaUri() {
        RedisURI uri = Redis.uri(replica);
        uri.setCredentialsProvider(Redis.uri(primary).getCredentialsProvider());
        return uri;
    }

    @Test
    void replicasHaveLessTimeThanACommand() {
        RedisOutbox.Builder builder = RedisOutbox.builder(Redis.uri(primary)).waitForReplicas(1, PATIENCE);

        assertThatThrownBy(builder::connect)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("30000 ms");
    }

    /** Makes the replica the primary, and ends the old one. */
    private void failOver(RedisServer sentinel) {
        RedisSentinelCommands<String, String> control =
                client.connectSentinel(Redis.uri(sentinel)).sync();
        await().atMost(LONG)
                .ignoreExceptionsInstanceOf(RedisCommandExecutionException.class)
                .until(() -> control.failover("shop").equals("OK"));
        await().atMost(LONG).until(() -> {
            SocketAddress address = control.getMasterAddrByName("shop");
            return ((InetSocketAddress) address).getPort() == replica.port();
        });
        primary.kill();
    }

    @Test
    void aReplicaIsNotWrittenTo() {
        assertThatThrownBy(() -> RedisOutbox.builder(Redis.uri(replica))
                        .clientResources(Redis.RESOURCES)
                        .connect())
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("replica");
    }
}
