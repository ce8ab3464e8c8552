package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.ReadCommitted;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The purger for Oracle. Events that another program has locked are left to a later purge: the first of a range are
 * read, those of them that are free are locked by their key, and these are deleted.
 */
public class OracleEventPurger extends AbstractJdbcEventPurger {

    private static final String FIRST = "SELECT event_id FROM %s WHERE %s ORDER BY %s FETCH FIRST ? ROWS ONLY";
    private static final String LOCK_FREE =
            "SELECT event_id FROM %s WHERE %s AND event_id IN (%s) FOR UPDATE SKIP LOCKED";
    private static final String DELETE = "DELETE FROM %s WHERE event_id IN (%s)";

    /** Oracle takes no more than 1000 in a list. */
    private static final int IDS_PER_STATEMENT = 500;

    public OracleEventPurger() {}

    public OracleEventPurger(String tableName) {
        super(tableName);
    }

    @Override
    protected void beginRepetition(Connection conn) {
        ReadCommitted.forThisTransaction(conn);
    }

    @Override
    int delete(Connection conn, Range range, Instant before, int limit) {
        return repetition().runInTransaction(conn, () -> {
            String sql = FIRST.formatted(tableName(), range.condition(), range.order());
            List<String> first = ids(conn, sql, List.of(before, limit));
            int deleted = 0;
            for (int from = 0; from < first.size(); from += IDS_PER_STATEMENT) {
                int end = Math.min(first.size(), from + IDS_PER_STATEMENT);
                deleted += deleteFree(conn, range, before, first.subList(from, end));
            }
            return deleted;
        });
    }

    private int deleteFree(Connection conn, Range range, Instant before, List<String> eventIds) {
        List<Object> params = new ArrayList<>();
        params.add(before);
        params.addAll(eventIds);
        String sql = LOCK_FREE.formatted(tableName(), range.condition(), places(eventIds));
        List<String> free = ids(conn, sql, params);
        return free.isEmpty()
                ? 0
                : JdbcTemplate.update(conn, DELETE.formatted(tableName(), places(free)), free.toArray());
    }

    private static List<String> ids(Connection conn, String sql, List<?> params) {
        return JdbcTemplate.tuned(statement -> statement.setFetchSize(IDS_PER_STATEMENT))
                .query(conn, sql, row -> row.getString("event_id"), params.toArray());
    }

    private static String places(List<String> ids) {
        return String.join(", ", Collections.nCopies(ids.size(), "?"));
    }
}
