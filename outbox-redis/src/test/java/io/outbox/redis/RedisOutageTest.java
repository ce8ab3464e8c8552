package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.RedisServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Delivery while Redis dies, freezes or fills up, and while the network breaks. */
class RedisOutageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Longer than any outage here, short enough to wait for where an outage hides a claim from its owner. */
    private static final Duration LEASE = Duration.ofSeconds(8);

    private static final int WRITERS = 4;
    private static final int WORKERS = 4;
    private static final int QUEUE_CAPACITY = 20;
    private static final int ENOUGH = 60;

    private final String name = Redis.newName();
    private final Load load = new Load(name);
    private final List<Outbox> outboxes = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private RedisServer server;
    private TcpProxy proxy;

    @AfterEach
    void endAll() throws Exception {
        load.stop();
        outboxes.forEach(Outbox::close);
        for (AutoCloseable resource : opened) {
            resource.close();
        }
        proxy.close();
        server.close();
    }

    @Test
    void aSingleNodeSurvivesTheDeathOfRedisWithoutLossOrDuplicate() throws Exception {
        startServer("--appendonly", "yes", "--appendfsync", "always");
        startSingleNode();

        killRedisUnderLoad();

        awaitAllDone();
        assertNothingLost();
        assertThat(load.deliveries().values()).allMatch(count -> count == 1);
    }

    @Test
    void twoNodesSurviveTheDeathOfRedisWithoutLoss() throws Exception {
        startServer("--appendonly", "yes", "--appendfsync", "always");
        startNodes(2);

        killRedisUnderLoad();

        awaitAllDone();
        assertNothingLost();
        assertDuplicatesBounded();
    }

    @Test
    void aSingleNodeSurvivesCutAndSilentConnectionsWithoutLossOrDuplicate() throws Exception {
        startServer();
        startSingleNode();

        breakTheNetworkUnderLoad();

        awaitAllDone();
        assertNothingLost();
        assertThat(load.deliveries().values()).allMatch(count -> count == 1);
    }

    @Test
    void twoNodesSurviveCutAndSilentConnectionsWithoutLoss() throws Exception {
        startServer();
        startNodes(2);

        breakTheNetworkUnderLoad();

        awaitAllDone();
        assertNothingLost();
        assertDuplicatesBounded();
    }

    @Test
    void nodesTakeNothingFromEachOtherAfterRedisWasFrozenForLongerThanTheLease() throws Exception {
        startServer();
        Duration lease = Duration.ofSeconds(4);
        startNode(0, lease);
        startNode(1, lease);
        startWriters();
        awaitDeliveries(ENOUGH);

        server.pause();
        LockSupport.parkNanos(lease.plusSeconds(1).toNanos());
        server.resume();
        awaitDeliveries(ENOUGH);
        load.stop();

        awaitAllDone();
        assertNothingLost();
        assertThat(load.deliveries().values()).allMatch(count -> count == 1);
    }

    @Test
    void whenMemoryIsFullWritersAreToldNothingIsHalfWrittenAndDeliveriesBeginAndGoOn() throws Exception {
        startServer("--maxmemory", "30mb");
        RedisOutbox redis = connect();
        RedisCommands<String, String> direct = directly();
        Outbox writing = Outbox.writerOnly().backend(redis.backend()).build();
        outboxes.add(writing);
        String payload = "\"" + "x".repeat(100_000) + "\"";
        List<String> written = new ArrayList<>();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        written.add(writing.writer().write(Load.EVENT_TYPE, payload));
                    }
                })
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("maxmemory")
                .hasMessageContaining("nothing was written");
        EventEnvelope inVain = EventEnvelope.ofJson(Load.EVENT_TYPE, payload);

        assertThatThrownBy(() -> redis.inTransaction(commands -> {
                    commands.del(load.orders() + ":none");
                    commands.srem(load.orders(), "none");
                    writing.writer().write(inVain);
                }))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("maxmemory");
        assertThatThrownBy(() -> redis.runScript(
                        "return redis.call('DEL', KEYS[1])",
                        List.of(load.orders()),
                        List.of(),
                        () -> writing.writer().write(inVain)))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("maxmemory");
        assertThat(StoredEvents.find(direct, name, inVain.eventId())).isEmpty();
        Layout.of(direct, name).assertConsistent();

        outboxes.add(Outbox.multiNode()
                .backend(connect().backend())
                .listenerRegistry(listeners())
                .claimLocking("node", LEASE)
                .purgeRetention(Duration.ZERO)
                .intervalMs(20)
                .build());

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(load.deliveries().keySet()).containsAll(written));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(redis.backend().counts()).isEmpty());
        String after = writing.writer().write(inVain);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(load.deliveries()).containsKey(after));
        assertThat(load.deliveries().values()).allMatch(count -> count == 1);
    }

    // Faults

    private void killRedisUnderLoad() throws InterruptedException {
        startWriters();
        for (int i = 0; i < 2; i++) {
            awaitDeliveries(ENOUGH);
            int failed = load.failedWrites();
            server.kill();
            await().atMost(PATIENCE).until(() -> load.failedWrites() > failed);
            server.restart();
        }
        awaitDeliveries(ENOUGH);
        load.stop();
        load.requireRunning();
    }

    private void breakTheNetworkUnderLoad() throws InterruptedException {
        startWriters();
        awaitDeliveries(ENOUGH);
        for (int i = 0; i < 15; i++) {
            proxy.resetAll();
            LockSupport.parkNanos(Duration.ofMillis(60).toNanos());
        }
        awaitDeliveries(ENOUGH);
        proxy.stall();
        LockSupport.parkNanos(Duration.ofMillis(2500).toNanos());
        proxy.resume();
        awaitDeliveries(ENOUGH);
        proxy.stallAnswers();
        LockSupport.parkNanos(Duration.ofMillis(1500).toNanos());
        proxy.resetAll();
        proxy.resume();
        awaitDeliveries(ENOUGH);
        load.stop();
        load.requireRunning();
        assertThat(load.failedWrites()).as("the faults were felt").isPositive();
    }

    // Nodes

    private void startServer(String... options) {
        server = RedisServer.start(options);
        proxy = TcpProxy.start(server.port());
    }

    private RedisOutbox connect() {
        RedisURI uri = Redis.uri(server, proxy.port());
        uri.setTimeout(Duration.ofSeconds(1));
        RedisOutbox redis = Redis.connect(uri, name);
        opened.add(redis);
        return redis;
    }

    private RedisCommands<String, String> directly() {
        RedisClient client = RedisClient.create(Redis.RESOURCES, Redis.uri(server));
        opened.add(client::shutdown);
        return client.connect().sync();
    }

    private void startSingleNode() {
        outboxes.add(Outbox.singleNode()
                .backend(connect().backend())
                .listenerRegistry(listeners())
                .workerCount(WORKERS)
                .hotQueueCapacity(QUEUE_CAPACITY)
                .coldQueueCapacity(QUEUE_CAPACITY)
                .intervalMs(20)
                .build());
    }

    private void startNodes(int nodes) {
        for (int i = 0; i < nodes; i++) {
            startNode(i, LEASE);
        }
    }

    private void startNode(int number, Duration lease) {
        outboxes.add(Outbox.multiNode()
                .backend(connect().backend())
                .listenerRegistry(listeners())
                .claimLocking("node-" + number, lease)
                .workerCount(WORKERS)
                .hotQueueCapacity(QUEUE_CAPACITY)
                .coldQueueCapacity(QUEUE_CAPACITY)
                .intervalMs(20)
                .build());
    }

    private DefaultListenerRegistry listeners() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(Load.EVENT_TYPE, load.listener());
        return listeners;
    }

    private void startWriters() {
        for (int i = 0; i < outboxes.size(); i++) {
            load.start(
                    WRITERS / outboxes.size(),
                    (RedisOutbox) opened.get(i),
                    outboxes.get(i).writer());
        }
    }

    // Checks

    private void awaitDeliveries(int more) {
        int before = load.delivered();
        await().atMost(PATIENCE).until(() -> {
            load.requireRunning();
            return load.delivered() >= before + more;
        });
    }

    private void awaitAllDone() {
        RedisOutbox look = connect();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(look.backend().counts()).isEmpty());
    }

    /** What was acknowledged is stored and delivered, and an order is there if and only if its event is. */
    private void assertNothingLost() {
        RedisCommands<String, String> direct = directly();
        Set<String> stored = new HashSet<>(direct.hkeys("{" + name + "}:outbox:event"));
        assertThat(stored).containsAll(load.acknowledged());
        assertThat(load.deliveries().keySet()).containsExactlyInAnyOrderElementsOf(stored);
        Set<String> withOrder = new HashSet<>(load.withOrder());
        withOrder.retainAll(stored);
        assertThat(direct.smembers(load.orders())).containsExactlyInAnyOrderElementsOf(withOrder);
        Layout.of(direct, name).assertConsistent();
        assertThat(outboxes.get(0).deadEvents().count(null)).isZero();
    }

    /** What a node has in memory when its leases run out, it may have delivered without being able to say so. */
    private void assertDuplicatesBounded() {
        long twice =
                load.deliveries().values().stream().filter(count -> count > 1).count();
        assertThat(twice).isLessThanOrEqualTo((long) outboxes.size() * (2 * QUEUE_CAPACITY + WORKERS));
        assertThat(load.deliveries().values()).allMatch(count -> count <= 2);
    }
}
