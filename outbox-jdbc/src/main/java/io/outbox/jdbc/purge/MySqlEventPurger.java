package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.ReadCommitted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The purger for MySQL, MariaDB and TiDB. Events that another program has locked are left to the next purge, except on
 * TiDB, which cannot pass over locked rows.
 */
public class MySqlEventPurger extends AbstractJdbcEventPurger {

    private static final String DELETE = "DELETE FROM %s WHERE %s ORDER BY %s LIMIT ?";
    private static final String LOCK_FREE =
            "SELECT event_id FROM %s WHERE %s ORDER BY %s LIMIT ? FOR UPDATE SKIP LOCKED";
    /**
     * Goes by the key even in a small table, where a scan would wait for the rows that are passed over. MySQL heeds the
     * hint only if there is a condition beside the key.
     */
    private static final String DELETE_LOCKED =
            "DELETE %1$s FROM %1$s FORCE INDEX (PRIMARY) WHERE %2$s AND event_id IN (%3$s)";

    private static final int IDS_PER_STATEMENT = 1000;

    public MySqlEventPurger() {}

    public MySqlEventPurger(String tableName) {
        super(tableName);
    }

    /** Keeps the delete from locking the gaps into which the application inserts new events. */
    @Override
    protected void beforeDelete(Connection conn) {
        ReadCommitted.forNextTransaction(conn);
    }

    @Override
    protected String deleteSql(Range range) {
        return DELETE.formatted(tableName(), range.condition(), range.order());
    }

    @Override
    int delete(Connection conn, Range range, Instant before, int limit) {
        if (!passesOverLocked(conn)) {
            return super.delete(conn, range, before, limit);
        }
        return repetition().runInTransaction(conn, () -> {
            List<String> locked = lockFree(conn, range, before, limit);
            int deleted = 0;
            for (int from = 0; from < locked.size(); from += IDS_PER_STATEMENT) {
                int end = Math.min(locked.size(), from + IDS_PER_STATEMENT);
                deleted += deleteLocked(conn, range, before, locked.subList(from, end));
            }
            return deleted;
        });
    }

    private static boolean passesOverLocked(Connection conn) {
        try {
            return !conn.getMetaData().getDatabaseProductVersion().contains("TiDB");
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot read the version of the database: " + e.getMessage(), e);
        }
    }

    private List<String> lockFree(Connection conn, Range range, Instant before, int limit) {
        String sql = LOCK_FREE.formatted(tableName(), range.condition(), range.order());
        return JdbcTemplate.query(conn, sql, row -> row.getString("event_id"), before, limit);
    }

    private int deleteLocked(Connection conn, Range range, Instant before, List<String> eventIds) {
        String places = String.join(", ", Collections.nCopies(eventIds.size(), "?"));
        List<Object> params = new ArrayList<>(eventIds.size() + 1);
        params.add(before);
        params.addAll(eventIds);
        return JdbcTemplate.update(
                conn, DELETE_LOCKED.formatted(tableName(), range.condition(), places), params.toArray());
    }
}
