package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Connection;
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

    H2ConsumedEvents(AbstractJdbcOutboxStore store, String tableName) {
        super(store, tableName);
    }

    /** Inserts one by one what cannot be merged, because a row is there that the snapshot does not show. */
    @Override
    void addMissing(Connection conn, String consumer, List<String> eventIds, long token) {
        try {
            String sql = ADD_MISSING.formatted(tableName(), store().currentTimeSql());
            JdbcTemplate.update(conn, sql, eventIds.toArray(), consumer, consumer, token);
        } catch (OutboxStoreException e) {
            if (!store().isDuplicate(e)) {
                throw e;
            }
            eventIds.forEach(eventId -> addOne(conn, consumer, eventId, token));
        }
    }
}
