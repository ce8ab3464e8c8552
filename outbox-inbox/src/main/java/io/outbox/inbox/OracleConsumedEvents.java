package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;

/** The marks in Oracle, which merges what is missing mark by mark, in one batch. */
final class OracleConsumedEvents extends TokenConsumedEvents {

    private static final String ADD_MISSING = """
            MERGE INTO %1$s marks USING DUAL ON (marks.consumer = ? AND marks.event_id = ?)
            WHEN NOT MATCHED THEN INSERT (consumer, event_id, token, consumed_at) VALUES (?, ?, ?, %2$s)""";

    private static final String DELETE = """
            DELETE FROM %1$s WHERE consumer = ? AND event_id IN (
              SELECT event_id FROM %1$s WHERE consumer = ? AND consumed_at < ?
              ORDER BY consumer, consumed_at, event_id FETCH FIRST ? ROWS ONLY)""";

    OracleConsumedEvents(AbstractJdbcOutboxStore store, String tableName) {
        super(store, tableName);
    }

    /**
     * Inserts one by one what cannot be merged: another transaction has just added a mark that the merge did not see.
     */
    @Override
    void addMissing(Connection conn, String consumer, List<String> eventIds, long token) {
        try {
            JdbcTemplate.batch(
                    conn,
                    ADD_MISSING.formatted(tableName(), store().currentTimeSql()),
                    eventIds.stream()
                            .map(eventId -> new Object[] {consumer, eventId, consumer, eventId, token})
                            .toList());
        } catch (OutboxStoreException e) {
            if (!store().isDuplicate(e)) {
                throw e;
            }
            eventIds.forEach(eventId -> addOne(conn, consumer, eventId, token));
        }
    }

    @Override
    int delete(Connection conn, String consumer, Instant before, int limit) {
        return JdbcTemplate.update(conn, DELETE.formatted(tableName()), consumer, consumer, before, limit);
    }
}
