package io.outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxBackend;
import io.outbox.store.StoreBackend;
import io.outbox.testservers.support.CapturedLog;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No call of the outbox ends or changes a transaction of the application. */
class ApplicationTransactionTest {

    /** What an application may call in a transaction. */
    private static Map<String, Runnable> calls(Outbox outbox, OutboxBackend backend) {
        return Map.of(
                "count", () -> outbox.deadEvents().count(null),
                "query", () -> outbox.deadEvents().query(null, null, 10),
                "replay", () -> outbox.deadEvents().replay("none"),
                "counts", outbox::counts,
                "deliverDue", outbox::deliverDue,
                "inspection", () -> backend.inspection().orElseThrow().find("none"),
                "fetch", () -> backend.nextDueAt(Instant.now()),
                "purge", () -> backend.purge(Instant.EPOCH, 10));
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void aConnectionOfTheTransactionIsRefusedByNameAndLeftAsItIs(TestDatabase database) throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            OutboxRows.execute(fixture.pool(), "CREATE TABLE orders (id INT)");
            JdbcOutbox jdbc = fixture.jdbc();
            for (boolean proxied : new boolean[] {true, false}) {
                ConnectionProvider joining = () -> !jdbc.txContext().isTransactionActive()
                        ? fixture.pool().getConnection()
                        : proxied
                                ? keptOpen(jdbc.txContext().currentConnection())
                                : jdbc.txContext().currentConnection();
                OutboxBackend backend = StoreBackend.of(joining, jdbc.txContext(), jdbc.store(), jdbc.purger());
                try (Outbox outbox = Outbox.singleNode()
                        .backend(backend)
                        .listenerRegistry(fixture.listeners())
                        .startManually()
                        .build()) {
                    for (Map.Entry<String, Runnable> call :
                            calls(outbox, backend).entrySet()) {
                        assertRefused(fixture, call.getKey(), call.getValue());
                    }
                }
            }
        }
    }

    /** Calls in a transaction; dead events are asked for leniently, so that the refusal may be in the log only. */
    private static void assertRefused(DeliveryFixture fixture, String name, Runnable call) throws SQLException {
        try (CapturedLog log = CapturedLog.open();
                Transaction tx = fixture.jdbc().begin()) {
            insertOrder(tx.connection());
            String thrown = "";
            try {
                call.run();
            } catch (IllegalStateException e) {
                thrown = e.getMessage();
            }
            assertThat(thrown + log.text()).as(name).contains("returned the connection of the current transaction");
            assertThat(tx.connection().getAutoCommit()).as(name).isFalse();
            tx.rollback();
        }
        assertThat(orders(fixture)).as(name).isZero();
        call.run();
    }

    private static Connection keptOpen(Connection conn) {
        return Intercepted.connection(conn, call -> call.name().equals("close") ? null : call.proceed());
    }

    private static void insertOrder(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute("INSERT INTO orders VALUES (1)");
        }
    }

    private static long orders(DeliveryFixture fixture) {
        return OutboxRows.number(fixture.pool(), "SELECT COUNT(*) FROM orders");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void aPoolWithoutAutoCommitServesATransactionAndTheOutboxBesideIt(TestDatabase database) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.newUrl());
        config.setAutoCommit(false);
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (HikariDataSource other = TestDatabase.pool(config.getJdbcUrl(), 1)) {
                JdbcOutbox.of(other).createSchema();
                OutboxRows.execute(other, "CREATE TABLE orders (id INT)");
                JdbcOutbox jdbc = JdbcOutbox.of(pool);
                OutboxBackend backend = jdbc.backend();
                try (Outbox outbox = Outbox.singleNode()
                        .backend(backend)
                        .listenerRegistry(new DefaultListenerRegistry())
                        .startManually()
                        .build()) {
                    try (Transaction tx = jdbc.begin()) {
                        insertOrder(tx.connection());
                        calls(outbox, backend).values().forEach(Runnable::run);
                        tx.rollback();
                    }
                }
                assertThat(OutboxRows.number(other, "SELECT COUNT(*) FROM orders"))
                        .isZero();
            }
        }
    }

    @Test
    void aConnectionGoesBackInItsModeAfterAFailureToo() {
        List<String> modes = new ArrayList<>();
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 1)) {
            ConnectionProvider manual = () -> {
                Connection conn = pool.getConnection();
                conn.setAutoCommit(false);
                return Intercepted.connection(conn, call -> {
                    if (call.name().startsWith("setAutoCommit") || call.name().equals("close")) {
                        modes.add(call.name());
                    }
                    return call.proceed();
                });
            };
            JdbcOutbox jdbc = JdbcOutbox.of(pool);
            OutboxBackend backend = StoreBackend.of(manual, jdbc.txContext(), jdbc.store(), jdbc.purger());

            assertThatThrownBy(backend::counts).as("there is no table").isInstanceOf(RuntimeException.class);

            assertThat(modes).containsExactly("setAutoCommit true", "setAutoCommit false", "close");
        }
    }
}
