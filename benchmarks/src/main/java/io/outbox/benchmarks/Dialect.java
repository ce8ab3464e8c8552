package io.outbox.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * What the benchmark does differently from one database to another.
 *
 * @param name what it is called in tables
 * @param prepare statements that give the server the memory of a server, and the tables that it needs
 * @param settle statements that bring statistics and logs into the same state before each measurement
 * @param written a query for the bytes that it has written ahead in its life, or {@code null} if it does not tell
 * @param loop the relay that a team writes by hand
 */
record Dialect(String name, List<String> prepare, List<String> settle, String written, Loop loop) {

    /** Events that are inserted by one statement. */
    private static final int WAITING_STEP = 100_000;

    private static final String MYSQL_OWN_TABLE = """
            CREATE TABLE own_event (id BIGINT AUTO_INCREMENT PRIMARY KEY, event_type VARCHAR(100) NOT NULL,
              payload LONGTEXT NOT NULL, created_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
              published BOOLEAN NOT NULL DEFAULT FALSE, published_at TIMESTAMP(6) NULL,
              INDEX own_event_unpublished (published, id))""";

    /** Relays batch after batch under the name of an owner, until told to end. */
    @FunctionalInterface
    interface Loop {
        void relay(Database database, String owner, IntPredicate goesOn) throws SQLException;
    }

    private static final Dialect POSTGRESQL = new Dialect(
            "PostgreSQL",
            List.of(
                    "CREATE TABLE business (id BIGSERIAL PRIMARY KEY, name VARCHAR(100) NOT NULL)",
                    """
                    CREATE TABLE own_event (id BIGSERIAL PRIMARY KEY, event_type VARCHAR(100) NOT NULL,
                      payload TEXT NOT NULL, created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
                      published BOOLEAN NOT NULL DEFAULT FALSE, published_at TIMESTAMPTZ)""",
                    "CREATE INDEX own_event_unpublished ON own_event (id) WHERE NOT published"),
            List.of("VACUUM (ANALYZE) outbox_event", "VACUUM (ANALYZE) own_event", "CHECKPOINT"),
            "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn",
            HandWritten::relay);

    private static Dialect mySql(String name) {
        return new Dialect(
                name,
                List.of(
                        "SET GLOBAL innodb_buffer_pool_size = 512 * 1024 * 1024",
                        // left on, TRUNCATE on MariaDB sometimes ended with a lock timeout
                        "SET GLOBAL innodb_stats_auto_recalc = OFF",
                        "CREATE TABLE business (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL)",
                        MYSQL_OWN_TABLE,
                        "CREATE TABLE ten (n INT NOT NULL)",
                        "INSERT INTO ten VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)"),
                List.of("ANALYZE TABLE outbox_event", "ANALYZE TABLE own_event"),
                "SELECT variable_value FROM "
                        + (name.equals("MySQL")
                                ? "performance_schema.global_status"
                                : "information_schema.global_status")
                        + " WHERE variable_name = 'Innodb_os_log_written'",
                HandWrittenInSteps::relay);
    }

    private static final Dialect H2 = new Dialect(
            "H2",
            List.of(
                    "CREATE TABLE business (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL)",
                    """
                    CREATE TABLE own_event (id BIGINT AUTO_INCREMENT PRIMARY KEY, event_type VARCHAR(100) NOT NULL,
                      payload VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
                      published BOOLEAN NOT NULL DEFAULT FALSE, published_at TIMESTAMP)""",
                    "CREATE INDEX own_event_unpublished ON own_event (published, id)"),
            List.of("ANALYZE TABLE outbox_event", "ANALYZE TABLE own_event"),
            null,
            HandWrittenInSteps::relay);

    /** Whether a statement can return the rows that it deletes, and arrays can be bound. */
    boolean returnsDeleted() {
        return this == POSTGRESQL;
    }

    /** Returns statements that insert events which have been waiting for an hour. */
    List<String> insertWaiting(String eventType, String payload, int events) {
        List<String> statements = new ArrayList<>();
        for (int from = 0; from < events; from += WAITING_STEP) {
            statements.add(insertWaiting(eventType, payload, from + 1, Math.min(from + WAITING_STEP, events)));
        }
        return statements;
    }

    private String insertWaiting(String eventType, String payload, int from, int to) {
        String into = "INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status, attempts,"
                + " available_at, created_at) ";
        if (this == POSTGRESQL) {
            return into + String.format("""
                            SELECT 'waiting-' || i, '%s', '__GLOBAL__', '%s', 0, 0, at, at
                            FROM (SELECT i, now() AT TIME ZONE 'UTC' - interval '1 hour' + i * interval '1 us' AS at
                              FROM generate_series(%d, %d) i) w""", eventType, payload, from, to);
        }
        return into + String.format("""
                        SELECT CONCAT('waiting-', i), '%s', '__GLOBAL__', '%s', 0, 0, at, at
                        FROM (SELECT i, TIMESTAMPADD(MICROSECOND, i, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR) AS at
                          FROM (SELECT %d + a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n AS i
                            FROM ten a, ten b, ten c, ten d, ten e) numbers WHERE i <= %d) w""", eventType, payload, from, to);
    }

    static Dialect of(String url) {
        return switch (url.split(":")[1]) {
            case "postgresql" -> POSTGRESQL;
            case "mysql" -> mySql("MySQL");
            case "mariadb" -> mySql("MariaDB");
            case "h2" -> H2;
            default -> throw new IllegalArgumentException("No such database: " + url);
        };
    }
}
