package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.CountingMetrics;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testservers.support.CapturedLog;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Events whose insert is undone in a transaction that goes on: nobody delivers them, and everything else as ever. */
class UndoneWritesTest {

    private static final int ROWS = 50;

    private final CountingMetrics metrics = new CountingMetrics();

    /** The ways in which an outbox keeps house. */
    enum Kind {
        SINGLE_NODE {
            @Override
            Outbox.AbstractBuilder<?> builder() {
                return Outbox.singleNode();
            }
        },
        SINGLE_NODE_WITHOUT_RETENTION {
            @Override
            Outbox.AbstractBuilder<?> builder() {
                return Outbox.singleNode().purgeRetention(Duration.ZERO);
            }
        },
        MULTI_NODE {
            @Override
            Outbox.AbstractBuilder<?> builder() {
                return Outbox.multiNode().claimLocking("node", Duration.ofMinutes(5));
            }
        },
        MULTI_NODE_WITHOUT_RETENTION {
            @Override
            Outbox.AbstractBuilder<?> builder() {
                return Outbox.multiNode()
                        .claimLocking("node", Duration.ofMinutes(5))
                        .purgeRetention(Duration.ZERO);
            }
        };

        abstract Outbox.AbstractBuilder<?> builder();
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(TestDatabase.values())
                .flatMap(database -> Stream.of(Kind.values()).map(kind -> Arguments.of(database, kind)));
    }

    private Outbox open(DeliveryFixture fixture, Kind kind) {
        return fixture.open(kind.builder().metrics(metrics));
    }

    /** Writes one more event, waits for it and ends delivery: by then every other event that would come has come. */
    private void assertNothingIsDeliveredBut(DeliveryFixture fixture, Outbox outbox, List<EventEnvelope> expected) {
        List<EventEnvelope> all = new ArrayList<>(expected);
        all.addAll(DeliveryFixture.events(1));
        fixture.inTransaction(outbox.writer(), writer -> writer.write(all.get(all.size() - 1)));
        await().until(() -> fixture.delivered().size() >= all.size() && fixture.number("status = 0") == 0);
        outbox.close();
        assertThat(fixture.delivered()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(metrics.succeeded).hasValue(all.size());
        assertThat(metrics.hotEnqueued).as("the last event takes the hot path").hasPositiveValue();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aDeadlockThatTheApplicationCatchesTakesTheEventWithIt(TestDatabase database, Kind kind) throws Exception {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            createStock(fixture.pool());
            Outbox outbox = open(fixture, kind);
            EventEnvelope undone = DeliveryFixture.events(1).get(0);

            try (Connection other = fixture.pool().getConnection();
                    Transaction tx = fixture.jdbc().begin()) {
                other.setAutoCommit(false);
                beTheVictim(database, tx.connection(), other);
                change(other, "number > 1");
                change(tx.connection(), "number = 1");
                outbox.writer().write(undone);
                CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> change(other, "number = 1"));
                await().until(() -> OutboxRows.number(fixture.pool(), waitingSessions(database)) > 0);
                assertThatThrownBy(() -> change(tx.connection(), "number = 2")).hasCauseInstanceOf(SQLException.class);
                tx.commit();
                waiting.join();
                other.rollback();
            }

            assertThat(fixture.number("1 = 1")).isZero();
            assertThat(log.text()).contains("are missing from a transaction");
            assertNothingIsDeliveredBut(fixture, outbox, List.of());
        }
    }

    private static void createStock(DataSource dataSource) {
        OutboxRows.execute(dataSource, "CREATE TABLE stock (number INT PRIMARY KEY, amount INT NOT NULL)");
        for (int number = 1; number <= ROWS; number++) {
            OutboxRows.execute(dataSource, "INSERT INTO stock VALUES (" + number + ", 0)");
        }
    }

    private static void change(Connection conn, String condition) {
        try (Statement statement = conn.createStatement()) {
            statement.executeUpdate("UPDATE stock SET amount = amount + 1 WHERE " + condition);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** InnoDB gives up the smaller transaction, H2 the one that comes last, PostgreSQL the one that looks first. */
    private static void beTheVictim(TestDatabase database, Connection victim, Connection other) throws SQLException {
        if (database == TestDatabase.POSTGRESQL) {
            try (Statement first = victim.createStatement();
                    Statement second = other.createStatement()) {
                first.execute("SET LOCAL deadlock_timeout = '20ms'");
                second.execute("SET LOCAL deadlock_timeout = '1min'");
            }
        }
    }

    private static String waitingSessions(TestDatabase database) {
        return switch (database) {
            case H2 -> "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
            case POSTGRESQL ->
                "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
            case MYSQL, MARIADB ->
                "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p"
                        + " ON p.id = t.trx_mysql_thread_id WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'";
        };
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStatementThatFailsOnPostgresqlTakesTheTransactionWithIt(Kind kind) {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.POSTGRESQL);
                CapturedLog log = CapturedLog.open()) {
            Outbox outbox = open(fixture, kind);

            try (Transaction tx = fixture.jdbc().begin()) {
                outbox.writer().writeAll(DeliveryFixture.events(2));
                assertThatThrownBy(() -> change(tx.connection(), "there is no such table"))
                        .hasCauseInstanceOf(SQLException.class);
                tx.commit();
            }

            assertThat(fixture.number("1 = 1")).isZero();
            assertThat(log.text()).contains("are missing from a transaction");
            assertNothingIsDeliveredBut(fixture, outbox, List.of());
        }
    }

    @Test
    void whatWasRolledBackOnTheConnectionOfPostgresqlIsNotDelivered() throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.POSTGRESQL);
                CapturedLog log = CapturedLog.open()) {
            Outbox outbox = open(fixture, Kind.SINGLE_NODE);

            try (Transaction tx = fixture.jdbc().begin()) {
                outbox.writer().write(DeliveryFixture.events(1).get(0));
                tx.connection().rollback();
                tx.commit();
            }

            assertThat(log.text()).contains("are missing from a transaction");
            assertNothingIsDeliveredBut(fixture, outbox, List.of());
        }
    }

    /**
     * Looking for the events at each commit would cost a query. Only who ends a transaction behind its manager's back,
     * and goes on in it, is not noticed.
     */
    @Test
    void whatWasRolledBackBeforeAFurtherStatementOnTheConnectionOfPostgresqlIsDelivered() throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.POSTGRESQL)) {
            createStock(fixture.pool());
            Outbox outbox = open(fixture, Kind.SINGLE_NODE);
            EventEnvelope undone = DeliveryFixture.events(1).get(0);

            try (Transaction tx = fixture.jdbc().begin()) {
                outbox.writer().write(undone);
                tx.connection().rollback();
                change(tx.connection(), "number = 1");
                tx.commit();
            }

            await().until(() -> !fixture.delivered().isEmpty());
            outbox.close();
            assertThat(fixture.delivered()).containsExactly(undone);
            assertThat(fixture.number("1 = 1")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aSavepointThatIsUndoneOnTheConnectionTakesTheEventsSinceWithIt(TestDatabase database, Kind kind)
            throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            Outbox outbox = open(fixture, kind);
            List<EventEnvelope> events = DeliveryFixture.events(6);

            try (Transaction tx = fixture.jdbc().begin()) {
                outbox.writer().write(events.get(0));
                Savepoint savepoint = tx.connection().setSavepoint();
                outbox.writer().write(events.get(1));
                outbox.writer().writeAll(events.subList(2, 5));
                tx.connection().rollback(savepoint);
                outbox.writer().write(events.get(5));
                tx.commit();
            }

            assertThat(log.text()).contains("are missing from a transaction");
            assertNothingIsDeliveredBut(fixture, outbox, List.of(events.get(0), events.get(5)));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void eventsAfterASavepointThatIsKeptTakeTheHotPath(TestDatabase database, Kind kind) throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            Outbox outbox = open(fixture, kind);
            List<EventEnvelope> events = DeliveryFixture.events(3);

            try (Transaction tx = fixture.jdbc().begin()) {
                tx.connection().setSavepoint();
                outbox.writer().write(events.get(0));
                outbox.writer().writeAll(events.subList(1, 3));
                tx.commit();
            }

            assertThat(metrics.hotEnqueued).hasValue(3);
            assertNothingIsDeliveredBut(fixture, outbox, events);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionLooksOnceAndOnPostgresqlOnlyBehindASavepoint(TestDatabase database) throws SQLException {
        AtomicInteger looks = new AtomicInteger();
        Thread writing = Thread.currentThread();
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            DataSource counted = Intercepted.dataSource(fixture.pool(), call -> {
                if (Thread.currentThread() == writing && call.executes("SELECT event_id FROM outbox_event")) {
                    looks.incrementAndGet();
                }
                return call.proceed();
            });
            JdbcOutbox jdbc = JdbcOutbox.of(counted);
            Outbox outbox = Outbox.singleNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(fixture.listeners())
                    .build();

            try (Transaction tx = jdbc.begin()) {
                DeliveryFixture.events(5).forEach(outbox.writer()::write);
                outbox.writer().writeAll(DeliveryFixture.events(5));
                tx.commit();
            }
            assertThat(looks).hasValue(database == TestDatabase.POSTGRESQL ? 0 : 1);

            try (Transaction tx = jdbc.begin()) {
                tx.connection().setSavepoint();
                DeliveryFixture.events(5).forEach(outbox.writer()::write);
                tx.commit();
            }
            assertThat(looks).hasValue(database == TestDatabase.POSTGRESQL ? 1 : 2);

            try (Transaction tx = jdbc.begin()) {
                DeliveryFixture.events(5).forEach(outbox.writer()::write);
                tx.rollback();
            }
            assertThat(looks).hasValue(database == TestDatabase.POSTGRESQL ? 1 : 2);
            assertThat(fixture.number("1 = 1")).isEqualTo(15);
            outbox.close();
        }
    }

    @Test
    void aWriterThatDeliversNothingNeedsTheRightToInsertAndNoOther() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(
                    owner,
                    "DROP ROLE IF EXISTS outbox_writer",
                    "CREATE ROLE outbox_writer",
                    "GRANT INSERT ON outbox_event TO outbox_writer");
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setConnectionInitSql("SET ROLE outbox_writer");
            try (HikariDataSource writers = new HikariDataSource(config)) {
                JdbcOutbox jdbc = JdbcOutbox.of(writers);
                Outbox outbox =
                        Outbox.writerOnly().backend(jdbc.writerOnlyBackend()).build();

                try (Transaction tx = jdbc.begin()) {
                    outbox.writer().write(DeliveryFixture.events(1).get(0));
                    outbox.writer().writeAll(DeliveryFixture.events(2));
                    tx.commit();
                }
            }
            assertThat(OutboxRows.all(owner)).hasSize(3);
            OutboxRows.execute(owner, "DROP OWNED BY outbox_writer", "DROP ROLE outbox_writer");
        }
    }

    @Test
    void aPartitionedTableOfPostgresqlIsLookedAtAsItCannotTell() {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.POSTGRESQL.newUrl(), "outbox_event")) {
            OutboxRows.execute(
                    fixture.pool(),
                    """
                    CREATE TABLE outbox_event (event_id VARCHAR(36) NOT NULL, event_type VARCHAR(128) NOT NULL,
                      aggregate_type VARCHAR(64), aggregate_id VARCHAR(128), tenant_id VARCHAR(64), payload TEXT NOT NULL,
                      headers TEXT, status SMALLINT NOT NULL, attempts INT NOT NULL DEFAULT 0,
                      available_at TIMESTAMP(6) NOT NULL, created_at TIMESTAMP(6) NOT NULL, done_at TIMESTAMP(6),
                      last_error TEXT, locked_by VARCHAR(128), locked_at TIMESTAMP(6), PRIMARY KEY (event_id))
                    PARTITION BY HASH (event_id)""",
                    "CREATE TABLE outbox_event_0 PARTITION OF outbox_event FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                    "CREATE TABLE outbox_event_1 PARTITION OF outbox_event FOR VALUES WITH (MODULUS 2, REMAINDER 1)");
            Outbox outbox = open(fixture, Kind.SINGLE_NODE);
            List<EventEnvelope> events = DeliveryFixture.events(10);

            fixture.inTransaction(outbox.writer(), writer -> {
                writer.write(events.get(0));
                writer.writeAll(events.subList(1, 10));
            });

            assertThat(metrics.hotEnqueued).hasValue(10);
            assertNothingIsDeliveredBut(fixture, outbox, events);
        }
    }
}
