package io.outbox.jdbc.wakeup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.StoreFigure;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.WakeUp;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.support.CapturedLog;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hints over PostgreSQL, with pollers that would otherwise sleep through the test, and what may happen to them. */
class PostgresWakeUpTest {

    private static final long NEVER_MS = 3_600_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String url = TestDatabase.POSTGRESQL.newUrl();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();
    private final AtomicInteger deliveries = new AtomicInteger();
    private boolean isOrdered;

    @AfterEach
    void closeAll() throws Exception {
        Collections.reverse(opened);
        for (AutoCloseable resource : opened) {
            resource.close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    private HikariDataSource pool(String poolUrl, int size) {
        return opened(TestDatabase.pool(poolUrl, size));
    }

    private JdbcOutbox jdbc(HikariDataSource pool) {
        return JdbcOutbox.of(pool).createSchema();
    }

    private WakeUp deliverer(JdbcOutbox jdbc, WakeUp wakeUp) {
        return deliverer(jdbc, wakeUp, NEVER_MS);
    }

    private WakeUp deliverer(JdbcOutbox jdbc, WakeUp wakeUp, long intervalMs) {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Hinted", event -> {
            deliveries.incrementAndGet();
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        opened(ordered(Outbox.multiNode())
                .backend(jdbc.backend())
                .wakeUp(wakeUp)
                .claimLocking(Duration.ofMinutes(5))
                .listenerRegistry(listeners)
                .intervalMs(intervalMs)
                .minIntervalMs(intervalMs)
                .build());
        return wakeUp;
    }

    private <B extends Outbox.AbstractBuilder<B>> B ordered(B builder) {
        return isOrdered ? builder.ordering(Ordering.byKey()) : builder;
    }

    private static void awaitHints(WakeUp wakeUp) {
        await().atMost(PATIENCE).until(wakeUp::isConnected);
    }

    private Runnable writer(JdbcOutbox jdbc) {
        Outbox writer = opened(ordered(Outbox.writerOnly())
                .backend(jdbc.backend())
                .wakeUp(jdbc.wakeUp())
                .build());
        return () -> {
            String id;
            try (Transaction tx = jdbc.begin()) {
                id = writer.writer()
                        .write(EventEnvelope.builder("Hinted")
                                .aggregateId("key")
                                .payloadJson("{}")
                                .build());
                tx.commit();
            }
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> delivered.contains(id));
        };
    }

    private long sessions(HikariDataSource pool, String condition) throws SQLException {
        return number(
                pool, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND " + condition);
    }

    private static List<String> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    @Test
    void whatAnotherProcessWritesIsDeliveredAtOnce() {
        JdbcOutbox here = jdbc(pool(url, 3));
        awaitHints(deliverer(here, here.wakeUp()));
        Runnable writeAndAwait = writer(jdbc(pool(url, 3)));

        for (int i = 0; i < 20; i++) {
            writeAndAwait.run();
        }
    }

    @Test
    void whatAnotherProcessWritesForAKeyIsDeliveredAtOnce() {
        isOrdered = true;
        HikariDataSource pool = pool(url, 3);
        JdbcOutbox here = jdbc(pool);
        OutboxSchema.of(pool).createKeyedIfMissing();
        awaitHints(deliverer(here, here.wakeUp()));
        Runnable writeAndAwait = writer(jdbc(pool(url, 3)));

        for (int i = 0; i < 20; i++) {
            writeAndAwait.run();
        }
    }

    @Test
    void whatAnotherProcessWritesForSoonIsDeliveredWhenItIsDue() {
        JdbcOutbox here = jdbc(pool(url, 3));
        awaitHints(deliverer(here, here.wakeUp()));
        JdbcOutbox there = jdbc(pool(url, 3));
        Outbox writer = opened(Outbox.writerOnly()
                .backend(there.backend())
                .wakeUp(there.wakeUp())
                .build());
        EventEnvelope soon = EventEnvelope.builder("Hinted")
                .availableAt(Instant.now().plusSeconds(2))
                .payloadJson("{}")
                .build();

        try (Transaction tx = there.begin()) {
            writer.writer().write(soon);
            tx.commit();
        }

        await().atMost(PATIENCE).until(() -> delivered.contains(soon.eventId()));
    }

    @Test
    void ofManyNodesThatHearOfAnEventOneDeliversIt() {
        JdbcOutbox here = jdbc(pool(url, 30));
        for (int node = 0; node < 10; node++) {
            awaitHints(deliverer(here, here.wakeUp()));
        }
        Runnable writeAndAwait = writer(jdbc(pool(url, 3)));

        for (int i = 0; i < 20; i++) {
            writeAndAwait.run();
        }

        assertThat(deliveries).as("each event once").hasValue(20);
    }

    @Test
    void aListenerWhoseSessionIsEndedHearsAgainAndLooksForWhatItMissed() throws SQLException {
        JdbcOutbox here = jdbc(pool(url, 3));
        HikariDataSource elsewhere = pool(url, 3);
        WakeUp wakeUp = deliverer(here, here.wakeUp());
        awaitHints(wakeUp);
        Runnable writeAndAwait = writer(jdbc(elsewhere));
        writeAndAwait.run();

        for (int i = 0; i < 3; i++) {
            try (Connection connection = elsewhere.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
                        + " AND datname = current_database()");
            }
            // written while nobody may hear it
            writeAndAwait.run();
            awaitHints(wakeUp);
        }
        writeAndAwait.run();
    }

    @Test
    void aConnectionThatIsOnlySilentIsMadeAgain() throws Exception {
        int port = PostgresServer.shared().port();
        try (TcpProxy proxy = TcpProxy.start(port)) {
            HikariDataSource direct = pool(url, 3);
            HikariDataSource silent = pool(url.replace(":" + port + "/", ":" + proxy.port() + "/"), 3);
            JdbcOutbox jdbc = jdbc(direct);
            List<Set<String>> hints = new CopyOnWriteArrayList<>();
            WakeUp wakeUp = jdbc.wakeUp(silent);
            opened(wakeUp.listen(hints::add)::close);
            awaitHints(wakeUp);

            proxy.stall();
            await().atMost(PATIENCE).until(() -> !wakeUp.isConnected());
            int before = hints.size();
            proxy.resetAll();
            proxy.resume();

            await().atMost(PATIENCE).until(() -> wakeUp.isConnected() && hints.size() > before);
        }
    }

    @Test
    void aPoolWithoutAConnectionToSpareKeepsItsConnection() {
        HikariDataSource one = pool(url, 1);
        JdbcOutbox jdbc = jdbc(one);
        try (CapturedLog log = CapturedLog.open()) {
            deliverer(jdbc, jdbc.wakeUp());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.text())
                            .contains("Hints do not arrive")
                            .contains("enlarge it by one"));
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(one.getHikariPoolMXBean().getActiveConnections())
                        .isZero());
        try (Connection connection = one.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPoolThatHasAConnectionToSpareLaterIsAskedAgainWithinSeconds() {
        HikariDataSource pool = pool(url, 1);
        JdbcOutbox jdbc = jdbc(pool);
        try (CapturedLog log = CapturedLog.open()) {
            WakeUp wakeUp = deliverer(jdbc, jdbc.wakeUp());
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(log.text()).contains("Hints do not arrive"));

            pool.getHikariConfigMXBean().setMaximumPoolSize(2);

            awaitHints(wakeUp);
        }
    }

    @Test
    void aBusyPoolDoesNotCostTheConnectionThatHears() throws Exception {
        HikariDataSource observer = pool(url, 1);
        HikariDataSource pool = pool(url, 2);
        List<Set<String>> hints = new CopyOnWriteArrayList<>();
        WakeUp wakeUp = new PostgresWakeUp(
                pool,
                pool,
                jdbc(observer).store().tableName(),
                new NotificationLoop.Times(Duration.ofMillis(500), Duration.ofSeconds(1)));
        opened(wakeUp.listen(hints::add)::close);
        awaitHints(wakeUp);
        String listening = "pid = "
                + number(
                        observer,
                        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
                                + " AND datname = current_database()");

        try (Connection busy = pool.getConnection()) {
            assertThat(busy).isNotNull();
            // the answer of the connection is awaited, since there is none to send the message by
            await().atMost(PATIENCE).until(() -> sessions(observer, listening + " AND query NOT LIKE 'LISTEN %'") == 1);
            assertThat(wakeUp.isConnected()).isTrue();
        }
        wakeUp.signal(Set.of("Hinted"));

        await().atMost(PATIENCE).until(() -> hints.contains(Set.of("Hinted")));
        assertThat(sessions(observer, listening)).isEqualTo(1);
        assertThat(wakeUp.isConnected()).isTrue();
    }

    private static long number(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void afterTheLastListenerThreadAndConnectionAreGone() throws SQLException {
        HikariDataSource pool = pool(url, 2);
        WakeUp wakeUp = jdbc(pool).wakeUp();
        for (int round = 0; round < 5; round++) {
            WakeUp.Listening first = wakeUp.listen(types -> {});
            WakeUp.Listening second = wakeUp.listen(types -> {});
            awaitHints(wakeUp);
            first.close();
            assertThat(wakeUp.isConnected()).isTrue();
            second.close();

            assertThat(wakeUp.isConnected()).isFalse();
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(threads("outbox-listen-")).isEmpty();
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            });
            try (Connection one = pool.getConnection();
                    Connection other = pool.getConnection()) {
                for (Connection connection : List.of(one, other)) {
                    try (Statement statement = connection.createStatement();
                            ResultSet channels = statement.executeQuery("SELECT pg_listening_channels()")) {
                        assertThat(channels.next()).isFalse();
                    }
                }
            }
        }
    }

    @Test
    void connectionsWithoutAutoCommitLeaveNoTransactionOpen() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        config.setAutoCommit(false);
        HikariDataSource pool = opened(new HikariDataSource(config));
        JdbcOutbox jdbc = jdbc(pool(url, 2));
        List<Set<String>> hints = new CopyOnWriteArrayList<>();
        WakeUp wakeUp = PostgresWakeUp.of(pool, jdbc.store().tableName());
        opened(wakeUp.listen(hints::add)::close);
        awaitHints(wakeUp);

        wakeUp.signal(Set.of("Hinted"));

        await().atMost(PATIENCE).until(() -> hints.contains(Set.of("Hinted")));
        assertThat(sessions(pool, "state LIKE 'idle in transaction%'")).isZero();
    }

    @Test
    void aSignalNeverWaitsForTheDatabase() {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        opened(end::countDown);
        DataSource stuck = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    asked.incrementAndGet();
                    end.await();
                    throw new SQLException("the test is over");
                });
        WakeUp wakeUp = PostgresWakeUp.of(stuck, "outbox_event");

        for (int i = 0; i < 100_000; i++) {
            wakeUp.signal(Set.of("Type" + i % 10));
        }

        await().atMost(PATIENCE).until(() -> asked.get() == 1);
    }

    /** The session of the sender fails: nobody is told, nobody waits, and the business goes on. */
    @Test
    void aHintThatCannotBeSentIsCountedAndDropped() {
        DataSource gone = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    throw new SQLException("connection refused");
                });
        AtomicInteger dropped = new AtomicInteger();
        WakeUp wakeUp = PostgresWakeUp.of(gone, "outbox_event");
        wakeUp.reportTo(new ForwardingMetrics(MetricsExporter.NOOP) {
            @Override
            public void incrementHintsDropped() {
                dropped.incrementAndGet();
            }
        });

        wakeUp.signal(Set.of("Hinted"));

        await().atMost(PATIENCE).until(() -> dropped.get() == 1);
    }

    /**
     * A pooler in transaction mode may let through what other sessions hear; here nothing of its own ever comes back.
     */
    @Test
    void aConnectionHearsOnlyIfItsOwnMessageComesBack() throws SQLException {
        HikariDataSource elsewhere = pool(TestDatabase.POSTGRESQL.newUrl(), 2);
        String table = jdbc(elsewhere).store().tableName();
        HikariDataSource here = pool(url, 3);
        jdbc(here);
        List<Set<String>> hints = new CopyOnWriteArrayList<>();
        try (CapturedLog log = CapturedLog.open()) {
            WakeUp wakeUp = PostgresWakeUp.of(elsewhere, table, here);
            opened(wakeUp.listen(hints::add)::close);
            WakeUp other = PostgresWakeUp.of(here, table);

            await().atMost(PATIENCE).until(() -> {
                other.signal(Set.of("Hinted"));
                assertThat(wakeUp.isConnected()).isFalse();
                return hints.contains(Set.of("Hinted")) && log.text().contains("no hint arrives");
            });
        }
    }

    @Test
    void eachReasonWhyHintsDoNotArriveIsLoggedOnce() {
        HikariDataSource here = pool(url, 2);
        String table = jdbc(here).store().tableName();
        HikariDataSource elsewhere = pool(TestDatabase.POSTGRESQL.newUrl(), 2);
        jdbc(elsewhere);
        String unknown = url.replaceFirst("/[^/?]+\\?", "/unknown?");
        AtomicReference<Callable<Connection>> sendBy =
                new AtomicReference<>(() -> DriverManager.getConnection(unknown));
        try (CapturedLog log = CapturedLog.open()) {
            WakeUp wakeUp = PostgresWakeUp.of(dataSource(() -> sendBy.get().call()), table, here);
            opened(wakeUp.listen(types -> {})::close);

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.text())
                            .contains("No connection to send hints can be opened")
                            .contains("\"unknown\" does not exist")
                            .doesNotContain("enlarge it by one"));
            assertThat(timesToldOfDeafness(log)).isEqualTo(1);
            sendBy.set(elsewhere::getConnection);

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(log.text()).contains("outbox.wake-up.listen-url"));
            assertThat(timesToldOfDeafness(log)).isEqualTo(2);
            assertThat(wakeUp.isConnected()).isFalse();
        }
    }

    private static long timesToldOfDeafness(CapturedLog log) {
        return log.warnings().stream()
                .filter(warning -> warning.contains("Hints do not arrive"))
                .count();
    }

    /**
     * The pool has tested the connection a moment ago, or does not test any, and waits for answers as long as TCP does.
     */
    @Test
    void aConnectionThatDiesBeforeItsAnswerCostsOneHintAndNotAll() throws Exception {
        JdbcOutbox jdbc = jdbc(pool(url, 1));
        int port = PostgresServer.shared().port();
        try (TcpProxy proxy = TcpProxy.start(port);
                Connection dying =
                        DriverManager.getConnection(url.replace(":" + port + "/", ":" + proxy.port() + "/"));
                Connection healthy = DriverManager.getConnection(url)) {
            Queue<Connection> handedOut = new ConcurrentLinkedQueue<>(List.of(dying, healthy));
            DataSource connections = dataSource(handedOut::remove);
            AtomicInteger sent = new AtomicInteger();
            AtomicInteger dropped = new AtomicInteger();
            PostgresWakeUp wakeUp = PostgresWakeUp.of(connections, jdbc.store().tableName());
            wakeUp.reportTo(new ForwardingMetrics(MetricsExporter.NOOP) {
                @Override
                public void incrementHintsSent() {
                    sent.incrementAndGet();
                }

                @Override
                public void incrementHintsDropped() {
                    dropped.incrementAndGet();
                }
            });
            proxy.stallAnswers();

            wakeUp.signal(Set.of("Hinted"));
            await().atMost(PATIENCE).until(() -> dropped.get() == 1);
            wakeUp.signal(Set.of("Hinted"));

            await().atMost(PATIENCE).until(() -> sent.get() == 1);
        }
    }

    private static DataSource dataSource(Callable<Connection> connections) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> connections.call());
    }

    @Test
    void theTimeoutOfAConnectionIsAsBeforeAfterAHint() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            for (int millis : List.of(0, 1_000, 60_000)) {
                connection.setNetworkTimeout(Runnable::run, millis);
                AnswerTimeout.bound(
                        connection,
                        () -> assertThat(connection.getNetworkTimeout()).isBetween(1, 5_000));
                assertThat(connection.getNetworkTimeout()).isEqualTo(millis);
            }
        }
    }

    /** As by a session that listens and has had a transaction open for days; servers before 17 have a queue of 8 GB. */
    @Test
    void whileTheDatabaseRefusesNotificationsHintsAreLostAndEventsAreNot() throws SQLException {
        PostgresServer server = opened(PostgresServer.start());
        String ownUrl = server.newDatabase();
        HikariDataSource idle = pool(ownUrl, 1);
        if (majorVersion(idle) < 17) {
            loseHintsToAFunctionThatRefuses(ownUrl, idle);
            return;
        }
        execute(idle, "ALTER SYSTEM SET max_notify_queue_pages = 64");
        server.restart();
        idle.getHikariPoolMXBean().softEvictConnections();
        try (HikariDataSource listening = TestDatabase.pool(ownUrl, 1);
                Connection open = listening.getConnection();
                Statement statement = open.createStatement()) {
            statement.execute("LISTEN other");
            open.setAutoCommit(false);
            statement.execute("SELECT 1");
            assertThatThrownBy(() -> {
                        while (true) {
                            execute(idle, "SELECT pg_notify('other', repeat('x', 7000))");
                        }
                    })
                    .hasMessageContaining("NOTIFY queue");

            JdbcOutbox jdbc = jdbc(pool(ownUrl, 4));
            WakeUp wakeUp = loseHintsButNoEvent(jdbc);
            assertThat(adviceOnTheQueue(jdbc)).contains("end it");
            open.rollback();
            statement.execute("SELECT 1"); // reads what has waited for it
            open.commit();

            // PostgreSQL makes room when somebody asks how full the queue is, as health does
            await().atMost(PATIENCE).until(() -> adviceOnTheQueue(jdbc) == null);
            awaitHints(wakeUp);
        }
    }

    private void loseHintsToAFunctionThatRefuses(String ownUrl, HikariDataSource idle) throws SQLException {
        execute(
                idle,
                "CREATE SCHEMA refusing; CREATE FUNCTION refusing.pg_notify(text, text) RETURNS void AS"
                        + " 'BEGIN RAISE EXCEPTION ''too many notifications in the NOTIFY queue''; END' LANGUAGE plpgsql");
        JdbcOutbox jdbc = jdbc(pool(ownUrl + "&options=-c%20search_path=refusing,pg_catalog,public", 4));

        WakeUp wakeUp = loseHintsButNoEvent(jdbc);

        execute(idle, "DROP FUNCTION refusing.pg_notify");
        awaitHints(wakeUp);
    }

    private WakeUp loseHintsButNoEvent(JdbcOutbox jdbc) {
        AtomicInteger dropped = new AtomicInteger();
        WakeUp wakeUp = jdbc.wakeUp();
        wakeUp.reportTo(new ForwardingMetrics(MetricsExporter.NOOP) {
            @Override
            public void incrementHintsDropped() {
                dropped.incrementAndGet();
            }
        });
        deliverer(jdbc, wakeUp, 50);
        writer(jdbc).run();
        wakeUp.signal(Set.of("Hinted"));
        await().atMost(PATIENCE).until(() -> dropped.get() > 0);
        assertThat(wakeUp.isConnected()).isFalse();
        return wakeUp;
    }

    private static String adviceOnTheQueue(JdbcOutbox jdbc) {
        return jdbc.backend().inspection().orElseThrow().figures().stream()
                .filter(figure -> figure.kind() == StoreFigure.Kind.NOTIFICATION_QUEUE_USAGE)
                .findFirst()
                .orElseThrow()
                .advice();
    }

    private static int majorVersion(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return connection.getMetaData().getDatabaseMajorVersion();
        }
    }

    private static void execute(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aTableIsTheSameByWhateverNameItIsFound() throws SQLException {
        HikariDataSource pool = pool(url, 3);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA other; CREATE TABLE other.outbox_event (id int);"
                    + " CREATE TABLE public.outbox_event (id int)");
            String plain = new NotificationChannel("outbox_event").name(connection);
            assertThat(new NotificationChannel("public.outbox_event").name(connection))
                    .isEqualTo(plain);
            assertThat(new NotificationChannel("PUBLIC.OUTBOX_EVENT").name(connection))
                    .isEqualTo(plain);
            String other = new NotificationChannel("other.outbox_event").name(connection);
            assertThat(other).isNotEqualTo(plain).matches("outbox_[0-9a-f]{16}");
            statement.execute("SET search_path = other");
            assertThat(new NotificationChannel("outbox_event").name(connection)).isEqualTo(other);
        }
    }
}
