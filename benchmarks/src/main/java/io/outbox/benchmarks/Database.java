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
import java.util.List;
import java.util.stream.Stream;

/** A database with an outbox table and a business table. */
final class Database implements AutoCloseable {

    static final String PAYLOAD = "{\"data\":\"" + "x".repeat(289) + "\"}";
    private static final int INSERT_BATCH = 1000;
    private static final int POOL_SIZE = 16;

    private final String url;
    private final HikariDataSource dataSource;
    private final JdbcOutbox jdbc;
    private final Dialect dialect;
    private int templates;

    private Database(String url, HikariDataSource dataSource, JdbcOutbox jdbc) {
        this.url = url;
        this.dataSource = dataSource;
        this.jdbc = jdbc;
        this.dialect = Dialect.of(url);
    }

    /** Returns an empty database, with the tables that it needs. */
    static Database create(String url) throws SQLException {
        HikariDataSource dataSource = pool(url, POOL_SIZE);
        Database database =
                new Database(url, dataSource, JdbcOutbox.of(dataSource).createSchema());
        for (String statement : database.dialect.prepare()) {
            database.execute(statement);
        }
        return database;
    }

    /** Returns a database that has its tables. */
    static Database existing(String url) {
        return existing(url, POOL_SIZE);
    }

    /** Returns a database that has its tables, with so many connections to it. */
    static Database existing(String url, int connections) {
        HikariDataSource dataSource = pool(url, connections);
        return new Database(url, dataSource, JdbcOutbox.of(dataSource));
    }

    private static HikariDataSource pool(String url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    String url() {
        return url;
    }

    Dialect dialect() {
        return dialect;
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

    /** Adds what order by key needs. */
    void createKeyed() {
        OutboxSchema.of(dataSource).createKeyedIfMissing();
    }

    void reset() throws SQLException {
        execute("TRUNCATE TABLE outbox_event");
        execute("TRUNCATE TABLE own_event");
        execute("TRUNCATE TABLE business");
    }

    /** Inserts events that wait for delivery, the same ones each time. */
    void insertBacklog(int events) throws SQLException {
        insertTemplates(events);
        execute("INSERT INTO outbox_event SELECT * FROM backlog ORDER BY event_id LIMIT " + events);
        settle();
    }

    /** Inserts as many events into the table of the loop that has one of its own. */
    void insertOwnBacklog(int events) throws SQLException {
        insertTemplates(events);
        execute(
                "INSERT INTO own_event (event_type, payload) SELECT event_type, payload FROM backlog ORDER BY event_id LIMIT "
                        + events);
        settle();
    }

    /** Removes what {@link #insertBacklog} has inserted. */
    void removeBacklog() throws SQLException {
        execute("DELETE FROM outbox_event WHERE event_id IN (SELECT event_id FROM backlog)");
    }

    /** Writes events as the outbox does, once, to be copied from then on. */
    private void insertTemplates(int events) throws SQLException {
        if (templates == 0) {
            execute("CREATE TABLE backlog AS SELECT * FROM outbox_event WHERE event_id IS NULL");
        }
        if (templates < events) {
            try (Connection conn = connection()) {
                conn.setAutoCommit(false);
                for (; templates < events; templates += INSERT_BATCH) {
                    jdbc.store().withTable("backlog").insertBatch(conn, batch());
                }
                conn.commit();
            }
        }
    }

    private static List<EventEnvelope> batch() {
        return Stream.generate(() -> EventEnvelope.ofJson("Benchmarked", PAYLOAD))
                .limit(INSERT_BATCH)
                .toList();
    }

    void insertFinished(int events) throws SQLException {
        insertMany("""
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status, attempts, available_at,
                  created_at, done_at)
                SELECT 'finished-' || i, 'Benchmarked', '__GLOBAL__', ?, 1, 0, now() - interval '1 hour' + i * interval '1 ms',
                  now() - interval '1 hour' + i * interval '1 ms', now() - interval '50 minutes'
                FROM generate_series(1, ?) i""", events);
        settle();
    }

    /** Inserts events of a type that have been waiting for an hour, in one go, however many. */
    void insertWaiting(String eventType, int events) throws SQLException {
        for (String sql : dialect.insertWaiting(eventType, PAYLOAD, events)) {
            execute(sql);
        }
        settle();
    }

    /** Inserts events that have been waiting for an hour, of so many keys in turn; in PostgreSQL. */
    void insertWithKeys(int events, int keys) throws SQLException {
        insertMany(String.format("""
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts,
                  available_at, created_at, order_key)
                SELECT 'keyed-' || i, 'Benchmarked', '__GLOBAL__', 'key-' || k, ?, 0, 0, at, at, '__GLOBAL__/key-' || k || '#'
                FROM (SELECT i, i %% %d AS k, now() AT TIME ZONE 'UTC' - interval '1 hour' + i * interval '1 us' AS at
                  FROM generate_series(1, ?) i) w""", keys), events);
        settle();
    }

    /**
     * Inserts a key among those whose first event has failed for good, with so many events behind it; in PostgreSQL.
     */
    void insertBlockedKey(int events) throws SQLException {
        insertMany("""
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts,
                  available_at, created_at, order_key)
                SELECT 'blocked-' || i, 'Benchmarked', '__GLOBAL__', 'key-5-blocked', ?, CASE i WHEN 1 THEN 2 ELSE 0 END, 0,
                  CASE i WHEN 1 THEN TIMESTAMP '2200-01-01' ELSE at END, at, '__GLOBAL__/key-5-blocked#'
                FROM (SELECT i, now() AT TIME ZONE 'UTC' - interval '2 hours' + i * interval '1 us' AS at
                  FROM generate_series(1, ?) i) w""", events);
    }

    /** Adds the tables of dead letters, and letters that wait for somebody to look at them. */
    void insertLetters(int letters) throws SQLException {
        jdbc.withDeadLetters().createSchema();
        insertMany("""
                INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                  last_error, fingerprint, first_failed_at, last_failed_at, moved_at, updated_at)
                SELECT 'letter-' || i, 'Type' || i % 20, ?, 0, 3, at, at, 'Failed at ' || i, LPAD((i % 50)::text, 16, '0'),
                  at, at, at, at
                FROM (SELECT i, now() - interval '1 hour' + i * interval '1 ms' AS at FROM generate_series(1, ?) i) l""", letters);
        execute("VACUUM (ANALYZE) outbox_dlq_event");
    }

    /** Runs an INSERT whose parameters are the payload and the number of rows. */
    private void insertMany(String sql, int rows) throws SQLException {
        try (Connection conn = connection();
                PreparedStatement insert = conn.prepareStatement(sql)) {
            insert.setString(1, PAYLOAD);
            insert.setInt(2, rows);
            insert.executeUpdate();
        }
    }

    /** Brings statistics and write-ahead log into the same state before each measurement. */
    void settle() throws SQLException {
        for (String statement : dialect.settle()) {
            execute(statement);
        }
    }

    /** Returns how much the database has written ahead in its life; negative if it does not tell. */
    long walPosition() throws SQLException {
        if (dialect.written() == null) {
            return -1;
        }
        try (Connection conn = connection();
                Statement statement = conn.createStatement();
                var result = statement.executeQuery(dialect.written())) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Returns how many transactions the database has committed in its life, as far as PostgreSQL has noted it. */
    long transactions() throws SQLException {
        return count("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()");
    }

    /** Returns how many statements a MySQL server has executed in its life. */
    long questions() throws SQLException {
        return count("SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Questions'");
    }

    long pending() throws SQLException {
        return count("SELECT count(*) FROM outbox_event WHERE status IN (0, 2)");
    }

    long ownPending() throws SQLException {
        return count("SELECT count(*) FROM own_event WHERE published = FALSE");
    }

    private long count(String sql) throws SQLException {
        try (Connection conn = connection();
                Statement statement = conn.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Forgets what was consumed, and the effects of it. */
    void resetInbox() throws SQLException {
        execute("TRUNCATE outbox_consumed_event");
        execute("TRUNCATE business");
        settle();
    }

    long businessRows() throws SQLException {
        return count("SELECT count(*) FROM business");
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
