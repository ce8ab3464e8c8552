package io.outbox.jdbc.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.spi.OutboxBackend;
import io.outbox.store.StoreBackend;
import io.outbox.testing.StoredEvent;
import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.JdbcStoredEvents;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A relational engine under test: one database, emptied for each test. */
final class JdbcEngine implements EngineUnderTest {

    private static final int POOL_SIZE = 40;

    private final HikariDataSource dataSource;
    private final JdbcOutbox jdbc;
    private final AbstractJdbcOutboxStore store;
    private final DeadLetterStore letters;
    private final OutboxBackend backend;

    JdbcEngine(String url) {
        this(url, UnaryOperator.identity());
    }

    /** Returns an engine with dead letters, which are DEAD events to the contracts. */
    static JdbcEngine withDeadLetters(String url) {
        return new JdbcEngine(url, UnaryOperator.identity(), DeadLetterStore::of);
    }

    /** Returns an engine whose table has what order by key needs. */
    static JdbcEngine keyed(String url) {
        return addingKeys(new JdbcEngine(url));
    }

    /** Returns an engine with dead letters whose tables have what order by key needs. */
    static JdbcEngine keyedWithDeadLetters(String url) {
        return addingKeys(withDeadLetters(url));
    }

    private static JdbcEngine addingKeys(JdbcEngine engine) {
        OutboxSchema.of(engine.dataSource).createKeyedIfMissing();
        if (engine.letters != null) {
            DeadLetterSchema.of(engine.dataSource, engine.letters).createKeyedIfMissing();
        }
        return engine;
    }

    /** Returns an engine with dead letters in which dead events stay, so that a purge finds them. */
    static JdbcEngine withDeadLettersOnSchedule(String url) {
        return new JdbcEngine(
                url,
                UnaryOperator.identity(),
                store -> DeadLetterStore.of(store).movingOnSchedule());
    }

    JdbcEngine(String url, UnaryOperator<AbstractJdbcOutboxStore> storeChoice) {
        this(url, storeChoice, null);
    }

    private JdbcEngine(
            String url,
            UnaryOperator<AbstractJdbcOutboxStore> storeChoice,
            Function<AbstractJdbcOutboxStore, DeadLetterStore> deadLetters) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(POOL_SIZE);
        config.setMinimumIdle(2);
        this.dataSource = new HikariDataSource(config);
        JdbcOutbox plain = JdbcOutbox.of(dataSource);
        this.letters = deadLetters == null ? null : deadLetters.apply(plain.store());
        this.jdbc = (letters == null ? plain : plain.withDeadLetters(letters))
                .createSchema()
                .validateSchema();
        OutboxSchema.of(dataSource).createLaneIndexIfMissing();
        this.store = storeChoice.apply(jdbc.store());
        this.backend = StoreBackend.of(
                jdbc.connectionProvider(), jdbc.txContext(), letters == null ? store : letters, jdbc.purger());
        clear();
    }

    void clear() {
        execute("DELETE FROM " + store.tableName());
        if (letters != null) {
            execute("DELETE FROM " + letters.tableName());
            execute("DELETE FROM " + letters.tableName() + "_attempt");
        }
    }

    AbstractJdbcOutboxStore store() {
        return store;
    }

    Connection openConnection() throws SQLException {
        return dataSource.getConnection();
    }

    @Override
    public OutboxBackend backend() {
        return backend;
    }

    @Override
    public void inTransaction(Runnable work) {
        try (Transaction tx = jdbc.begin()) {
            work.run();
            tx.commit();
        }
    }

    @Override
    public Optional<StoredEvent> find(String eventId) {
        try (Connection conn = openConnection()) {
            Optional<StoredEvent> event = JdbcStoredEvents.find(conn, store.tableName(), eventId);
            return event.isPresent() || letters == null ? event : findLetter(conn, eventId);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Optional<StoredEvent> findLetter(Connection conn, String eventId) {
        return JdbcStoredEvents.find(
                conn,
                "(SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, 3 AS status,"
                        + " attempts, available_at, created_at, NULLIF(created_at, created_at) AS done_at, last_error,"
                        + " NULLIF(event_id, event_id) AS locked_by, NULLIF(created_at, created_at) AS locked_at FROM "
                        + letters.tableName() + ") dead",
                eventId);
    }

    @Override
    public boolean keepsEmptyTexts() {
        return !store.name().equals("oracle");
    }

    @Override
    public Instant now() {
        return backend.currentTime();
    }

    private void execute(String sql) {
        try (Connection conn = openConnection()) {
            JdbcTemplate.update(conn, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes all connections, none of which may be in use any more. */
    @Override
    public void close() {
        try {
            int active = dataSource.getHikariPoolMXBean().getActiveConnections();
            if (active != 0) {
                throw new AssertionError(active + " connections were not returned to the pool");
            }
        } finally {
            dataSource.close();
        }
    }
}
