package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The marks in MySQL, MariaDB and TiDB. Rows that are there are updated to what they are, since {@code INSERT IGNORE}
 * would pass over other errors too. Numbers of changed rows do not tell which were inserted: by default the driver has
 * the server count rows that were found, and rewritten batches have no numbers at all.
 */
final class MySqlConsumedEvents extends TokenConsumedEvents {

    private static final String ADD_MISSING = """
            INSERT INTO %s (consumer, event_id, token, consumed_at) VALUES %s
            ON DUPLICATE KEY UPDATE token = token""";
    private static final String ROW = "(?, ?, ?, UTC_TIMESTAMP(6))";

    /** Names all columns of the index in the order, or MariaDB sorts. */
    private static final String DELETE =
            "DELETE FROM %s WHERE consumer = ? AND consumed_at < ? ORDER BY consumer, consumed_at LIMIT ?";

    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int TRIES_AT_A_LOCK = 2;

    MySqlConsumedEvents(AbstractJdbcOutboxStore store, String tableName) {
        super(store, tableName);
    }

    @Override
    void addMissing(Connection conn, String consumer, List<String> eventIds, long token) {
        List<Object> params = new ArrayList<>();
        for (String eventId : eventIds) {
            params.addAll(List.of(consumer, eventId, token));
        }
        String rows = String.join(", ", Collections.nCopies(eventIds.size(), ROW));
        JdbcTemplate.update(conn, ADD_MISSING.formatted(tableName(), rows), params.toArray());
    }

    @Override
    int delete(Connection conn, String consumer, Instant before, int limit) {
        return JdbcTemplate.update(conn, DELETE.formatted(tableName()), consumer, before, limit);
    }

    /** Each wait for a lock may take as long as the server allows, by default 50 seconds. */
    @Override
    int maxTries(OutboxStoreException e) {
        return hasCode(e, LOCK_WAIT_TIMEOUT) ? TRIES_AT_A_LOCK : super.maxTries(e);
    }
}
