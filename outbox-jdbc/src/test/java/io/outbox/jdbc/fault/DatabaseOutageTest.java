package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.CountingMetrics;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.Pause;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Delivery while the database dies and comes back, and while the network breaks. */
class DatabaseOutageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SETTLE_TIME = Duration.ofMillis(300);

    /** Longer than any outage here, short enough to wait for where an outage hides a claim from its owner. */
    private static final Duration LEASE = Duration.ofSeconds(8);

    private static final int WRITERS = 4;
    private static final int WORKERS = 4;
    private static final int QUEUE_CAPACITY = 20;
    private static final int ENOUGH = 60;

    private final FaultyLoad load = new FaultyLoad();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<Outbox> outboxes = new ArrayList<>();
    private DatabaseServer server;
    private TcpProxy proxy;
    private HikariDataSource pool;
    private HikariDataSource direct;
    private JdbcOutbox jdbc;

    @AfterEach
    void endAll() throws InterruptedException {
        load.stop();
        outboxes.forEach(Outbox::close);
        pool.close();
        direct.close();
        proxy.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void aSingleNodeSurvivesTheDeathOfItsDatabaseWithoutLossOrDuplicate(TestDatabase database) throws Exception {
        startDatabase(database);
        startSingleNode();

        killTheDatabaseUnderLoad();

        awaitAllDone();
        assertNothingLostOrDead();
        assertThat(load.deliveries().values()).allMatch(count -> count == 1);
        assertThat(metrics.succeeded).hasValue(load.delivered());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void twoNodesSurviveTheDeathOfTheirDatabaseWithoutLoss(TestDatabase database) throws Exception {
        startDatabase(database);
        startNodes(2);

        killTheDatabaseUnderLoad();

        awaitAllDone();
        assertNothingLostOrDead();
        assertDuplicatesBounded();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void aSingleNodeSurvivesCutAndSilentConnectionsWithoutLossOrDuplicate(TestDatabase database) throws Exception {
        startDatabase(database);
        startSingleNode();

        breakTheNetworkUnderLoad();

        awaitAllDone();
        assertNothingLostOrDead();
        assertThat(load.deliveries().values()).allMatch(count -> count == 1);
        assertThat(metrics.succeeded).hasValue(load.delivered());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void twoNodesSurviveCutAndSilentConnectionsWithoutLoss(TestDatabase database) throws Exception {
        startDatabase(database);
        startNodes(2);

        breakTheNetworkUnderLoad();

        awaitAllDone();
        assertNothingLostOrDead();
        assertDuplicatesBounded();
    }

    // Faults

    private void killTheDatabaseUnderLoad() throws InterruptedException {
        startWriters();
        for (int i = 0; i < 2; i++) {
            awaitDeliveries(ENOUGH);
            server.kill();
            Pause.of(Duration.ofMillis(300));
            server.restart();
        }
        awaitDeliveries(ENOUGH);
        load.stop();
        load.requireRunning();
        assertThat(load.failedTransactions()).as("the outage was felt").isPositive();
    }

    private void breakTheNetworkUnderLoad() throws InterruptedException {
        startWriters();
        awaitDeliveries(ENOUGH);
        for (int i = 0; i < 15; i++) {
            proxy.resetAll();
            Pause.of(Duration.ofMillis(60));
        }
        awaitDeliveries(ENOUGH);
        proxy.stall();
        Pause.of(Duration.ofMillis(2500));
        proxy.resume();
        awaitDeliveries(ENOUGH);
        load.stop();
        load.requireRunning();
        assertThat(load.failedTransactions()).as("the faults were felt").isPositive();
    }

    // Nodes

    private void startDatabase(TestDatabase database) {
        server = database.startServer();
        String url = server.newDatabase();
        proxy = TcpProxy.start(server.port());
        pool = database.impatientPool(url.replace(":" + server.port() + "/", ":" + proxy.port() + "/"), 14);
        direct = database.impatientPool(url, 2);
        jdbc = JdbcOutbox.of(pool).createSchema();
    }

    private void startSingleNode() {
        outboxes.add(Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners())
                .metrics(metrics)
                .workerCount(WORKERS)
                .hotQueueCapacity(QUEUE_CAPACITY)
                .coldQueueCapacity(QUEUE_CAPACITY)
                .intervalMs(20)
                .build());
    }

    private void startNodes(int nodes) {
        for (int i = 0; i < nodes; i++) {
            outboxes.add(Outbox.multiNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(listeners())
                    .metrics(metrics)
                    .claimLocking("node-" + i, LEASE)
                    .workerCount(WORKERS)
                    .hotQueueCapacity(QUEUE_CAPACITY)
                    .coldQueueCapacity(QUEUE_CAPACITY)
                    .intervalMs(20)
                    .build());
        }
    }

    private DefaultListenerRegistry listeners() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(FaultyLoad.EVENT_TYPE, load.listener());
        return listeners;
    }

    private void startWriters() {
        AtomicInteger turn = new AtomicInteger();
        load.start(
                WRITERS,
                jdbc,
                () -> outboxes.get(turn.getAndIncrement() % outboxes.size()).writer());
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
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() ->
                        assertThat(OutboxRows.where(direct, "status <> 1")).isEmpty());
        await().during(SETTLE_TIME).until(() -> true);
    }

    private void assertNothingLostOrDead() {
        Map<String, OutboxRows.Row> rows = OutboxRows.all(direct);
        assertThat(rows.values()).allMatch(row -> row.isDone() && row.attempts() == 0 && row.lastError() == null);
        assertThat(rows.keySet()).containsAll(load.committed());
        assertThat(load.deliveries().keySet()).containsExactlyInAnyOrderElementsOf(rows.keySet());
        assertThat(metrics.dead).hasValue(0);
        assertThat(metrics.failed).hasValue(0);
        outboxes.forEach(Outbox::close);
        await().untilAsserted(() ->
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero());
    }

    /** What a node has in memory when its leases run out, it may have delivered without being able to say so. */
    private void assertDuplicatesBounded() {
        long twice =
                load.deliveries().values().stream().filter(count -> count > 1).count();
        assertThat(twice).isLessThanOrEqualTo((long) outboxes.size() * (2 * QUEUE_CAPACITY + WORKERS));
        assertThat(load.deliveries().values()).allMatch(count -> count <= 2);
    }
}
