package io.outbox.benchmarks;

import java.sql.SQLException;
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

    /** Relays batch after batch under the name of an owner, until told to end. */
    @FunctionalInterface
    interface Loop {
        void relay(Database database, String owner, IntPredicate goesOn) throws SQLException;
    }

    private static final Dialect POSTGRESQL = new Dialect(
            "PostgreSQL",
            List.of("CREATE TABLE business (id BIGSERIAL PRIMARY KEY, name VARCHAR(100) NOT NULL)"),
            List.of("VACUUM (ANALYZE) outbox_event", "CHECKPOINT"),
            "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn",
            HandWritten::relay);

    private static Dialect mySql(String name) {
        return new Dialect(
                name,
                List.of(
                        "SET GLOBAL innodb_buffer_pool_size = 512 * 1024 * 1024",
                        // left on, TRUNCATE on MariaDB sometimes ended with a lock timeout
                        "SET GLOBAL innodb_stats_auto_recalc = OFF",
                        "CREATE TABLE business (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL)"),
                List.of("ANALYZE TABLE outbox_event"),
                "SELECT variable_value FROM "
                        + (name.equals("MySQL")
                                ? "performance_schema.global_status"
                                : "information_schema.global_status")
                        + " WHERE variable_name = 'Innodb_os_log_written'",
                HandWrittenInSteps::relay);
    }

    private static final Dialect H2 = new Dialect(
            "H2",
            List.of("CREATE TABLE business (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL)"),
            List.of("ANALYZE TABLE outbox_event"),
            null,
            HandWrittenInSteps::relay);

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
