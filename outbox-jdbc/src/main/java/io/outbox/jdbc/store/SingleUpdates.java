package io.outbox.jdbc.store;

import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.time.Instant;

/** Changes the status of single events, whoever holds them, as the specification's statements do. */
final class SingleUpdates {

    private static final String DONE = """
            UPDATE {by_id} SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished}""";

    private static final String RETRY = """
            UPDATE {by_id} SET status = 2, attempts = attempts + 1, available_at = ?, last_error = ?,
              locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished}""";

    private static final String DEFERRED = """
            UPDATE {by_id} SET status = 0, available_at = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished}""";

    private static final String DEAD = """
            UPDATE {by_id} SET status = 3, last_error = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    SingleUpdates(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    int done(String eventId) {
        return update(DONE, Instant.now(), eventId);
    }

    int retry(String eventId, Instant nextAt, String error) {
        return update(RETRY, nextAt, Outcome.storable(error), eventId);
    }

    int deferred(String eventId, Instant nextAt) {
        return update(DEFERRED, nextAt, eventId);
    }

    int dead(String eventId, String error) {
        return update(DEAD, Outcome.storable(error), eventId);
    }

    private int update(String template, Object... params) {
        return store.repeating(conn, () -> store.sql(template).update(conn, params));
    }
}
