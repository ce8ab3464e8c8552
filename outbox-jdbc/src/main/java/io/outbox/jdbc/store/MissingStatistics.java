package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Has PostgreSQL look at a table that it has not looked at since there are rows in it. It does so by itself within a
 * minute or two; until then it expects a handful of pending events of a type, and reads and sorts all there are for
 * each page. Without the right to do this, nothing happens. Thread-safe.
 */
final class MissingStatistics {

    private static final System.Logger LOG = System.getLogger(MissingStatistics.class.getName());
    /** Pages that take less are read in their order, or there is little to sort. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String ROWS_SEEN = "SELECT reltuples FROM pg_class WHERE oid = to_regclass(?)";

    private final String tableName;
    private volatile boolean done;

    MissingStatistics(String tableName) {
        this.tableName = tableName;
    }

    /** Notes that a page was read by a connection, and how long that took. */
    void pageRead(Connection conn, long nanos) {
        if (done || nanos < SLOW_NANOS) {
            return;
        }
        done = true;
        try {
            List<Double> rowsSeen = JdbcTemplate.query(conn, ROWS_SEEN, row -> row.getDouble(1), tableName);
            if (!rowsSeen.isEmpty() && rowsSeen.get(0) <= 0) {
                try (Statement statement = conn.createStatement()) {
                    statement.execute("ANALYZE (SKIP_LOCKED) " + tableName);
                }
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "PostgreSQL gathers statistics of " + tableName + " later", e);
        }
    }
}
