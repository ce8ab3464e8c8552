package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import io.outbox.DispatchResult;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventCount;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.TransactionEnd;
import io.outbox.testservers.RedisServer;
import io.outbox.testservers.TcpProxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A primary with a replica, which may lag behind and take over. */
class RedisReplicationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LEASE = Duration.ofMinutes(5);

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
            try (RedisOutbox redis = Redis.connect(sentinelUri(sentinel), RedisOutbox.DEFAULT_NAME);
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

    @Test
    void aNodeGoesOnDeliveringFromAReplicaThatWasPromoted() throws Exception {
        commands(replica).configSet("requirepass", primary.password());
        Map<String, Integer> deliveries = new ConcurrentHashMap<>();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Kept", event -> {
            deliveries.merge(event.eventId(), 1, Integer::sum);
            return DispatchResult.done();
        });
        try (RedisServer sentinel = RedisServer.startSentinel("shop", primary);
                RedisOutbox redis = Redis.connect(sentinelUri(sentinel), RedisOutbox.DEFAULT_NAME);
                Outbox outbox = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .claimLocking("node", LEASE)
                        .listenerRegistry(listeners)
                        .intervalMs(100)
                        .build()) {
            List<String> before = write(outbox, 50);
            await().atMost(PATIENCE).until(() -> deliveries.keySet().containsAll(before));
            RedisCommands<String, String> copy = client.connect(replicaUri()).sync();
            await().atMost(PATIENCE).until(() -> copy.zcard("{outbox}:outbox:done") == 50);
            outbox.pause();
            List<String> waiting = write(outbox, 50);
            await().atMost(PATIENCE).until(() -> copy.hlen("{outbox}:outbox:event") == 100);

            failOver(sentinel);
            outbox.resume();

            await().atMost(LONG).until(() -> deliveries.keySet().containsAll(waiting));
            await().atMost(LONG)
                    .ignoreExceptions()
                    .until(() -> redis.backend().counts().isEmpty());
            assertThat(deliveries).hasSize(100);
            assertThat(deliveries.values()).as("what the replica had").allMatch(times -> times == 1);
        }
    }

    /** Its outcomes never reached the replica, which knows the events as pending. */
    @Test
    void onlyDeliveriesThatAReplicaDoesNotKnowOfAreRepeatedFromIt() throws Exception {
        Map<String, Integer> deliveries = new ConcurrentHashMap<>();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Kept", event -> {
            deliveries.merge(event.eventId(), 1, Integer::sum);
            return DispatchResult.done();
        });
        try (TcpProxy link = TcpProxy.start(primary.port());
                RedisServer behind = RedisServer.start(
                        "--replicaof", "127.0.0.1 " + link.port(), "--masterauth", primary.password())) {
            RedisCommands<String, String> copy = commands(behind);
            List<String> known;
            List<String> unknown;
            try (RedisOutbox redis = Redis.connect(Redis.uri(primary), RedisOutbox.DEFAULT_NAME)) {
                try (Outbox first = deliverer(redis, listeners)) {
                    known = write(first, 20);
                    await().atMost(PATIENCE).until(() -> copy.zcard("{outbox}:outbox:done") == 20);
                }
                try (Outbox writing =
                        Outbox.writerOnly().backend(redis.backend()).build()) {
                    unknown = write(writing, 20);
                }
                await().atMost(PATIENCE).until(() -> copy.hlen("{outbox}:outbox:event") == 40);
                link.stall();
                try (Outbox second = deliverer(redis, listeners)) {
                    await().atMost(PATIENCE)
                            .until(() -> second.counts().isEmpty()
                                    && deliveries.keySet().containsAll(unknown));
                }
            }
            primary.kill();
            copy.replicaofNoOne();

            try (RedisOutbox redis = Redis.connect(Redis.uri(behind), RedisOutbox.DEFAULT_NAME);
                    Outbox third = deliverer(redis, listeners)) {
                await().atMost(PATIENCE).until(() -> third.counts().isEmpty());
            }
            assertThat(known).allSatisfy(id -> assertThat(deliveries).containsEntry(id, 1));
            assertThat(unknown).allSatisfy(id -> assertThat(deliveries).containsEntry(id, 2));
        }
    }

    private static Outbox deliverer(RedisOutbox redis, DefaultListenerRegistry listeners) {
        return Outbox.multiNode()
                .backend(redis.backend())
                .claimLocking("node", LEASE)
                .listenerRegistry(listeners)
                .intervalMs(50)
                .build();
    }

    private static List<String> write(Outbox outbox, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> outbox.writer().write("Kept", "{}"))
                .toList();
    }

    private RedisURI sentinelUri(RedisServer sentinel) {
        return RedisURI.builder()
                .withSentinel("127.0.0.1", sentinel.port(), sentinel.password())
                .withSentinelMasterId("shop")
                .withPassword(primary.password().toCharArray())
                .withTimeout(PATIENCE)
                .build();
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
