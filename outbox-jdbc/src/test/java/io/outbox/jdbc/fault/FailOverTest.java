package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.CountingMetrics;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.TcpProxy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Delivery while another server becomes the primary and the old one goes on answering, read-only, on connections that
 * the pool has kept.
 */
class FailOverTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Seconds on a machine that has nothing else to do. */
    private static final Duration RESUMES_WITHIN = Duration.ofSeconds(30);
    /** Longer than a fail-over takes, so that nobody takes anything over because of it. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    /**
     * For a wait until nodes take over what they themselves have held and finished, as the new primary does not know.
     */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(8);

    private static final int ENOUGH = 60;

    private final FaultyLoad load = new FaultyLoad();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Outbox> outboxes = new ArrayList<>();
    private Duration lease = LEASE;
    private TcpProxy address;
    private HikariDataSource pool;
    private JdbcOutbox jdbc;

    @AfterEach
    void endAll() throws Exception {
        load.stop();
        outboxes.forEach(Outbox::close);
        Collections.reverse(opened);
        for (AutoCloseable resource : opened) {
            resource.close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsLostOrRepeatedWhenASynchronousStandbyOfPostgresqlTakesOver(int nodes) throws InterruptedException {
        PostgresServer primary = opened(PostgresServer.start());
        PostgresServer standby = opened(primary.startStandby());
        primary.replicateSynchronously(true);
        String url = start(TestDatabase.POSTGRESQL, primary, nodes);
        awaitDeliveries();

        primary.demote();
        standby.replicateSynchronously(false);
        standby.promote();
        awaitRefusals(); // the pool is full of connections to the old primary
        Set<String> before = beforeFailOver();
        address.moveTo(standby.port());

        awaitResumed(before);
        assertNothingLostOrRepeated(DatabaseServer.urlAt(url, primary.port(), standby.port()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsLostOrRepeatedWhenMySqlIsSwitchedOver(int nodes) throws InterruptedException {
        MySqlServer primary = opened(MySqlServer.startForReplication(1));
        MySqlServer replica = opened(MySqlServer.startForReplication(2));
        replica.follow(primary);
        String url = start(TestDatabase.MYSQL, primary, nodes);
        awaitDeliveries();

        primary.demote();
        replica.awaitChangesOf(primary);
        replica.promote();
        awaitRefusals();
        Set<String> before = beforeFailOver();
        address.moveTo(replica.port());

        awaitResumed(before);
        assertNothingLostOrRepeated(DatabaseServer.urlAt(url, primary.port(), replica.port()));
    }

    @Test
    void whatTheDatabaseLostIsAllThatIsMissingWhenAStandbyTakesOverThatWasBehind() throws Exception {
        PostgresServer primary = opened(PostgresServer.start());
        TcpProxy replication = opened(TcpProxy.start(primary.port()));
        PostgresServer standby = opened(primary.startStandby(replication.port()));
        lease = SHORT_LEASE;
        String url = start(TestDatabase.POSTGRESQL, primary, 2);
        awaitDeliveries();

        replication.stall();
        awaitDeliveries();
        primary.kill();
        Set<String> before = beforeFailOver();
        address.moveTo(standby.port());
        standby.promote();

        awaitResumed(before);
        HikariDataSource direct = awaitAllDone(DatabaseServer.urlAt(url, primary.port(), standby.port()));
        Map<String, OutboxRows.Row> rows = OutboxRows.all(direct);
        Set<String> business = Set.copyOf(OutboxRows.texts(direct, FaultyLoad.BUSINESS_ROWS));
        assertThat(load.committed().stream().filter(id -> !business.contains(id)))
                .as("committed before the standby had it")
                .isNotEmpty()
                .isSubsetOf(before);
        assertThat(rows.keySet()).as("events as the business has them").isEqualTo(business);
        assertThat(rows.values()).allMatch(row -> row.attempts() == 0 && row.lastError() == null);
        assertThat(load.deliveries().keySet()).containsAll(business);
        // a claim or an outcome from before the fail-over may be lost, so such an event may come again
        assertThat(repeated()).isSubsetOf(before);
        assertThat(load.deliveries().keySet().stream().filter(id -> !business.contains(id)))
                .as("delivered although the database has lost them")
                .isSubsetOf(before);
    }

    private Set<String> repeated() {
        Set<String> repeated = new HashSet<>(load.deliveries().keySet());
        repeated.removeIf(id -> load.deliveries().get(id) == 1);
        return repeated;
    }

    @Test
    void aNodeWithNothingToDoNoticesThatItAsksAServerThatOnlyReads() throws SQLException {
        MySqlServer primary = opened(MySqlServer.startForReplication(1));
        MySqlServer replica = opened(MySqlServer.startForReplication(2));
        replica.follow(primary);
        String url = startNodes(TestDatabase.MYSQL, primary, 1, 2_000);
        openConnections(10);

        primary.demote();
        replica.awaitChangesOf(primary);
        replica.promote();
        address.moveTo(replica.port());
        HikariDataSource direct =
                opened(TestDatabase.pool(DatabaseServer.urlAt(url, primary.port(), replica.port()), 2));
        JdbcOutbox elsewhere = JdbcOutbox.of(direct);
        String id;
        try (Outbox writer = Outbox.writerOnly().backend(elsewhere.backend()).build();
                Transaction tx = elsewhere.begin()) {
            id = writer.writer().write(EventEnvelope.ofJson(FaultyLoad.EVENT_TYPE, "{}"));
            tx.commit();
        }

        // not after a poll for each of the connections that the pool has kept
        await().atMost(Duration.ofSeconds(15)).until(() -> load.deliveries().containsKey(id));
    }

    @Test
    void aKeyIsNotLookedUpOnAServerThatOnlyReads() throws SQLException {
        MySqlServer primary = opened(MySqlServer.startForReplication(1));
        MySqlServer replica = opened(MySqlServer.startForReplication(2));
        replica.follow(primary);
        List<String> delivered = new CopyOnWriteArrayList<>();
        CountDownLatch failedOver = new CountDownLatch(1);
        String url = connect(TestDatabase.MYSQL, primary);
        OutboxSchema.of(pool).createKeyedIfMissing();
        // polls that notice the fail-over would also clear out the connection by which keys are looked up
        HikariDataSource poolOfKeys =
                opened(TestDatabase.MYSQL.impatientPool(DatabaseServer.urlAt(url, primary.port(), address.port()), 1));
        jdbc = JdbcOutbox.of(byThread("outbox-keys-", poolOfKeys, pool));
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(FaultyLoad.EVENT_TYPE, event -> {
            delivered.add(event.eventId());
            failedOver.await();
            return DispatchResult.done();
        });
        Outbox node = opened(Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners)
                .ordering(Ordering.byKey())
                .intervalMs(500)
                .build());
        String first = writeKeyed(jdbc, node);
        await().atMost(PATIENCE).until(() -> delivered.contains(first));

        primary.demote();
        replica.awaitChangesOf(primary);
        replica.promote();
        address.moveTo(replica.port());
        failedOver.countDown(); // the outcome is on the new primary only
        JdbcOutbox elsewhere =
                JdbcOutbox.of(opened(TestDatabase.pool(DatabaseServer.urlAt(url, primary.port(), replica.port()), 2)));
        String second;
        try (Outbox writer = Outbox.writerOnly()
                .backend(elsewhere.backend())
                .ordering(Ordering.byKey())
                .build()) {
            second = writeKeyed(elsewhere, writer);
        }

        await().atMost(RESUMES_WITHIN).until(() -> delivered.contains(second));
        assertThat(delivered).containsExactly(first, second);
    }

    /** Returns a data source that is one for some threads, and another for the rest. */
    private static DataSource byThread(String prefix, DataSource forThose, DataSource forOthers) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    boolean isOne = Thread.currentThread().getName().startsWith(prefix);
                    try {
                        return method.invoke(isOne ? forThose : forOthers, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static String writeKeyed(JdbcOutbox jdbc, Outbox outbox) {
        EventEnvelope event = EventEnvelope.builder(FaultyLoad.EVENT_TYPE)
                .key("k")
                .payloadJson("{}")
                .build();
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().write(event);
            tx.commit();
        }
        return event.eventId();
    }

    @Test
    void noEventIsLookedForOnAReaderOfAurora() {
        MySqlServer server = opened(MySqlServer.start());
        String url = connect(TestDatabase.MYSQL, server);
        server.restartForReading();
        JdbcOutbox reading = JdbcOutbox.of(opened(TestDatabase.pool(url, 1)));

        assertThatThrownBy(() -> reading.backend().currentTime())
                .isInstanceOf(OutboxStoreException.class)
                .hasMessageContaining("the server only reads");
    }

    @Test
    void aReaderOfAuroraRefusesAWriteAsAServerThatOnlyReads() {
        MySqlServer server = opened(MySqlServer.start());
        String url = server.newDatabase();
        jdbc = JdbcOutbox.of(opened(TestDatabase.pool(url, 1))).createSchema();
        Outbox writing =
                opened(Outbox.writerOnly().backend(jdbc.writerOnlyBackend()).build());
        write(writing);
        server.restartForReading();

        // an insert finds its table read-only, another change the whole server: codes 1015 and 1836
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> write(writing))
                        .isInstanceOfSatisfying(
                                OutboxStoreException.class,
                                refused -> assertThat(refused.isReadOnly())
                                        .as(refused.getMessage())
                                        .isTrue()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> changeSchema(url))
                        .isInstanceOfSatisfying(SQLException.class, refusal -> {
                            assertThat(refusal.getErrorCode()).isEqualTo(1836);
                            assertThat(new OutboxStoreException("refused", refusal).isReadOnly())
                                    .isTrue();
                        }));
    }

    private static void changeSchema(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE other (id INT)");
        }
    }

    @Test
    void aProcessThatOnlyWritesGetsRidOfItsConnectionsToAServerThatOnlyReads() {
        MySqlServer primary = opened(MySqlServer.startForReplication(1));
        MySqlServer replica = opened(MySqlServer.startForReplication(2));
        replica.follow(primary);
        String url = primary.newDatabase();
        address = opened(TcpProxy.start(primary.port()));
        HikariDataSource narrow =
                opened(TestDatabase.MYSQL.impatientPool(DatabaseServer.urlAt(url, primary.port(), address.port()), 1));
        jdbc = JdbcOutbox.of(narrow).createSchema();
        Outbox writing =
                opened(Outbox.writerOnly().backend(jdbc.writerOnlyBackend()).build());
        write(writing);
        primary.demote();
        replica.awaitChangesOf(primary);
        replica.promote();
        assertThatThrownBy(() -> write(writing)).isInstanceOf(OutboxStoreException.class);
        address.moveTo(replica.port());

        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(OutboxStoreException.class)
                .until(() -> write(writing));
    }

    private boolean write(Outbox writing) {
        try (Transaction tx = jdbc.begin()) {
            writing.writer().write(EventEnvelope.ofJson(FaultyLoad.EVENT_TYPE, "{}"));
            tx.commit();
            return true;
        }
    }

    private void openConnections(int count) throws SQLException {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connections.add(jdbc.connectionProvider().getConnection());
        }
        for (Connection connection : connections) {
            connection.close();
        }
    }

    // The scene

    /** Starts nodes and a business that reach the server by an address which can be moved; returns its own URL. */
    private String start(TestDatabase database, DatabaseServer server, int nodes) {
        String url = startNodes(database, server, nodes, 100);
        OutboxRows.execute(pool, FaultyLoad.BUSINESS_TABLE);
        load.writeBusinessRows();
        AtomicInteger turn = new AtomicInteger();
        load.start(4, jdbc, () -> outboxes.get(turn.getAndIncrement() % nodes).writer());
        return url;
    }

    private String startNodes(TestDatabase database, DatabaseServer server, int nodes, long intervalMs) {
        String url = connect(database, server);
        for (int i = 0; i < nodes; i++) {
            DefaultListenerRegistry listeners = new DefaultListenerRegistry();
            listeners.register(FaultyLoad.EVENT_TYPE, load.listener());
            Outbox.AbstractBuilder<?> node = nodes == 1
                    ? Outbox.singleNode().hotQueueCapacity(20).intervalMs(intervalMs)
                    : Outbox.multiNode()
                            .claimLocking("node-" + i, lease)
                            .hotQueueCapacity(20)
                            .intervalMs(intervalMs);
            outboxes.add(node.backend(jdbc.backend())
                    .listenerRegistry(listeners)
                    .metrics(metrics)
                    .build());
        }
        return url;
    }

    /** Reaches a new database of the server by an address which can be moved; returns the database's own URL. */
    private String connect(TestDatabase database, DatabaseServer server) {
        String url = server.newDatabase();
        address = opened(TcpProxy.start(server.port()));
        pool = opened(database.impatientPool(DatabaseServer.urlAt(url, server.port(), address.port()), 14));
        jdbc = JdbcOutbox.of(pool).createSchema();
        return url;
    }

    private void awaitDeliveries() {
        int before = load.delivered();
        await().atMost(PATIENCE).until(() -> {
            load.requireRunning();
            return load.delivered() >= before + ENOUGH;
        });
    }

    /** Returns the events written so far: while the address leads to no primary. */
    private Set<String> beforeFailOver() {
        return Set.copyOf(load.attempted());
    }

    /** Waits until events are delivered that were written after the fail-over. */
    private void awaitResumed(Set<String> before) {
        await().atMost(RESUMES_WITHIN).until(() -> {
            load.requireRunning();
            return load.deliveries().keySet().stream()
                            .filter(id -> !before.contains(id))
                            .count()
                    >= ENOUGH;
        });
    }

    private void awaitRefusals() {
        int before = load.failedTransactions();
        await().atMost(PATIENCE).until(() -> load.failedTransactions() >= before + ENOUGH);
    }

    private HikariDataSource awaitAllDone(String url) throws InterruptedException {
        load.stop();
        load.requireRunning();
        HikariDataSource direct = opened(TestDatabase.pool(url, 2));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(OutboxRows.where(direct, "status <> 1")).isEmpty());
        outboxes.forEach(Outbox::close);
        return direct;
    }

    private void assertNothingLostOrRepeated(String url) throws InterruptedException {
        HikariDataSource direct = awaitAllDone(url);
        Map<String, OutboxRows.Row> rows = OutboxRows.all(direct);
        assertThat(rows.keySet()).containsAll(load.committed());
        assertThat(rows.keySet()).hasSameElementsAs(OutboxRows.texts(direct, FaultyLoad.BUSINESS_ROWS));
        assertThat(rows.values()).allMatch(row -> row.isDone() && row.attempts() == 0 && row.lastError() == null);
        assertThat(load.deliveries().keySet()).containsExactlyInAnyOrderElementsOf(rows.keySet());
        assertThat(load.deliveries().values()).containsOnly(1);
        assertThat(metrics.failed).hasValue(0);
        assertThat(metrics.dead).hasValue(0);
    }
}
