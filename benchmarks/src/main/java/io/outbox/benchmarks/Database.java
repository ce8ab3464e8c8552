package io.outbox.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A database with an outbox table and a business table. */
final class Database implements AutoCloseable {

    static final String PAYLOAD = "{\"data\":\"" + "x".repeat(289) + "\"}";
    private static final int INSERT_BATCH = 1000;

    private final HikariDataSource dataSource;
    private final JdbcOutbox jdbc;

    Database(String url) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(16);
        this.dataSource = new HikariDataSource(config);
        this.jdbc = JdbcOutbox.of(dataSource).createSchema();
        execute("CREATE TABLE business (id BIGSERIAL PRIMARY KEY, name VARCHAR(100) NOT NULL)");
    }

    JdbcOutbox jdbc() {
        return jdbc;
    }

    Connection connection() throws SQLException {
        return dataSource.getConnection();
    }

    /** Adds the index that an outbox with lanes has. */
    void createLaneIndex() {
        OutboxSchema.of(dataSource, jdbc.store().tableName()).createLaneIndexIfMissing();
    }

    void reset() throws SQLException {
        execute("TRUNCATE outbox_event");
        execute("TRUNCATE business");
    }

    void insertBacklog(int events) throws SQLException {
        try (Connection conn = connection()) {
            conn.setAutoCommit(false);
            for (int from = 0; from < events; from += INSERT_BATCH) {
                List<EventEnvelope> batch = new ArrayList<>();
                for (int i = from; i < Math.min(from + INSERT_BATCH, events); i++) {
                    batch.add(EventEnvelope.ofJson("Benchmarked", PAYLOAD));
                }
                jdbc.store().insertBatch(conn, batch);
                conn.commit();
            }
        }
        settle();
    }

    void insertFinished(int events) throws SQLException {
        try (Connection conn = connection();
                PreparedStatement insert = conn.prepareStatement(
                        "INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status, attempts,"
                                + " available_at, created_at, done_at) SELECT 'finished-' || i, 'Benchmarked',"
                                + " '__GLOBAL__', ?, 1, 0, now() - interval '1 hour' + i * interval '1 ms',"
                                + " now() - interval '1 hour' + i * interval '1 ms', now() - interval '50 minutes'"
                                + " FROM generate_series(1, ?) i")) {
            insert.setString(1, PAYLOAD);
            insert.setInt(2, events);
            insert.executeUpdate();
        }
        settle();
    }

    /** Brings statistics and write-ahead log into the same state before each measurement. */
    void settle() throws SQLException {
        execute("VACUUM (ANALYZE) outbox_event");
        execute("CHECKPOINT");
    }

    long pending() throws SQLException {
        try (Connection conn = connection();
                Statement statement = conn.createStatement();
                var result = statement.executeQuery("SELECT count(*) FROM outbox_event WHERE status IN (0, 2)")) {
            result.next();
            return result.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = connection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        dataSource.close();
    }
}
