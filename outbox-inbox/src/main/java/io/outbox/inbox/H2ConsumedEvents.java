package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;

/**
 * The marks in H2, which merges what is missing. A query over the merge would return that too, but is not atomic: what
 * it has inserted before it waits for others stays when H2 begins it again, and is not returned then.
 */
final class H2ConsumedEvents extends TokenConsumedEvents {

    private static final String ADD_MISSING = """
            MERGE INTO %1$s USING (SELECT C1 AS id FROM UNNEST(?)) AS ids
            ON (%1$s.consumer = ? AND %1$s.event_id = ids.id)
            WHEN NOT MATCHED THEN INSERT (consumer, event_id, token, consumed_at) VALUES (?, ids.id, ?, %2$s)""";

    private static final String DELETE = """
            DELETE FROM %1$s WHERE consumer = ? AND event_id IN (
              SELECT event_id FROM %1$s WHERE consumer = ? AND consumed_at < ?
              ORDER BY consumer, consumed_at, event_id LIMIT ?)""";

    private static final int DUPLICATE_KEY = 23505;

    H2ConsumedEvents(String tableName) {
        super(tableName);
    }

    /** Inserts one by one what cannot be merged, because a row is there that the snapshot does not show. */
    @Override
    void addMissing(Connection conn, String consumer, List<String> eventIds, long token) {
        try {
            String sql = ADD_MISSING.formatted(tableName(), utcNow());
            JdbcTemplate.update(conn, sql, eventIds.toArray(), consumer, consumer, token);
        } catch (OutboxStoreException e) {
            if (!hasCode(e, DUPLICATE_KEY)) {
                throw e;
            }
            eventIds.forEach(eventId -> addOne(conn, consumer, eventId, token));
        }
    }

    @Override
    int delete(Connection conn, String consumer, Instant before, int limit) {
        return JdbcTemplate.update(conn, DELETE.formatted(tableName()), consumer, consumer, before, limit);
    }

    @Override
    int duplicateKeyCode() {
        return DUPLICATE_KEY;
    }

    @Override
    String utcNow() {
        return """
                DATEADD('MICROSECOND', CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT), \
                TIMESTAMP '1970-01-01 00:00:00')""";
    }
}
