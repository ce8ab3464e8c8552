package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.FailedAttempt;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The table of failed attempts. A row is written in the transaction that counts the attempt, and only if that counts
 * it: the event's row is locked before, under the guards of the statement that counts, so that a batch which is written
 * again adds nothing.
 */
final class Attempts {

    private static final String LOCK = """
            SELECT event_id, status, attempts, available_at FROM {by_id}
            WHERE event_id {among} AND {unfinished}{fence}{wait}""";

    private static final String INSERT = """
            INSERT INTO {attempts} (event_id, failed_at, attempt, node, error) VALUES (?, {now}, ?, ?, ?)""";

    private static final String SPANS = """
            SELECT event_id, MIN(failed_at) AS first_at, MAX(failed_at) AS last_at FROM {attempts}
            WHERE event_id {among} GROUP BY event_id""";

    private static final String OF_EVENT = """
            SELECT event_id, attempt, failed_at, node, error FROM {attempts} WHERE event_id = ? ORDER BY failed_at""";

    private static final String DELETE = "DELETE FROM {attempts} WHERE event_id {among}";

    private static final String WINDOW = """
            SELECT event_id, failed_at FROM {attempts}
            WHERE failed_at >= ? AND (failed_at > ? OR event_id > ?) AND failed_at < ?
            ORDER BY failed_at, event_id LIMIT ?""";

    /** One statement, so that an event that moves meanwhile is seen in one of the tables. */
    private static final String ENDED = """
            SELECT DISTINCT event_id FROM {attempts} a WHERE event_id {among}
              AND NOT EXISTS (SELECT 1 FROM {letters} d WHERE d.event_id = a.event_id)
              AND NOT EXISTS (SELECT 1 FROM {table} o WHERE o.event_id = a.event_id AND o.status <> 1)""";

    private static final int RETRY = 2;

    private final AbstractJdbcOutboxStore store;
    private final String tableName;

    Attempts(AbstractJdbcOutboxStore store, String tableName) {
        this.store = store;
        this.tableName = tableName;
    }

    /** When the attempts of an event failed. */
    record Span(Instant first, Instant last) {}

    /** An attempt that is about to be counted, and its number. */
    record Counted(Outcome outcome, int attempt) {}

    private record Open(String eventId, int status, int attempts, Instant availableAt) {

        static Open map(ResultSet row) throws SQLException {
            return new Open(
                    row.getString("event_id"),
                    row.getInt("status"),
                    row.getInt("attempts"),
                    JdbcTemplate.instant(row, "available_at"));
        }

        /** Returns whether the outcome is going to be written; a failure that stands already is not. */
        boolean takes(Outcome outcome) {
            return !(outcome instanceof Outcome.Failed failed
                    && status == RETRY
                    && failed.retryAt().truncatedTo(ChronoUnit.MICROS).equals(availableAt)
                    && attempts > failed.attempts());
        }
    }

    /** Locks the events of failures, and returns those failures that are going to be written. */
    List<Counted> lock(Connection conn, Fence fence, Collection<Outcome> failures) {
        Map<String, Outcome> byId = new HashMap<>();
        failures.forEach(failure -> byId.put(failure.eventId(), failure));
        return fence
                .fill(store.sql(LOCK))
                .queryAmong(
                        conn,
                        IdList.sorted(byId.keySet()),
                        Open::map,
                        fence.params().toArray())
                .stream()
                .filter(open -> open.takes(byId.get(open.eventId)))
                .map(open -> new Counted(byId.get(open.eventId), open.attempts + 1))
                .toList();
    }

    void insert(Connection conn, String ownerId, List<Counted> counted) {
        if (!counted.isEmpty()) {
            sql(INSERT)
                    .batch(
                            conn,
                            counted.stream()
                                    .map(one -> new Object[] {
                                        one.outcome.eventId(), one.attempt, ownerId, error(one.outcome)
                                    })
                                    .toList());
        }
    }

    static String error(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return failed.error();
        }
        return outcome instanceof Outcome.Dead dead ? dead.error() : null;
    }

    /** Returns when the attempts of each event failed that is known to have had any. */
    Map<String, Span> spans(Connection conn, Collection<String> eventIds) {
        Map<String, Span> spans = new HashMap<>();
        sql(SPANS).queryAmong(conn, IdList.chunks(eventIds), row -> {
            Span span = new Span(JdbcTemplate.instant(row, "first_at"), JdbcTemplate.instant(row, "last_at"));
            return spans.put(row.getString("event_id"), span);
        });
        return spans;
    }

    List<FailedAttempt> of(Connection conn, String eventId) {
        return sql(OF_EVENT)
                .query(
                        conn,
                        row -> new FailedAttempt(
                                row.getString("event_id"),
                                row.getInt("attempt"),
                                JdbcTemplate.instant(row, "failed_at"),
                                row.getString("node"),
                                row.getString("error")),
                        eventId);
    }

    void delete(Connection conn, Collection<String> eventIds) {
        sql(DELETE).updateAmong(conn, IdList.sorted(eventIds));
    }

    /** The place of an attempt in the order of time. */
    record Place(Instant failedAt, String eventId) {

        /** Before all attempts: databases have no earlier times. */
        static final Place START = new Place(Instant.parse("1000-01-01T00:00:00Z"), IdList.NO_EVENT);
    }

    /**
     * Deletes those attempts of events that have ended, up to {@code limit}, that are old and follow; returns all that
     * do.
     */
    List<Place> deleteOfEnded(Connection conn, DeadLetterTable letters, Place after, Instant before, int limit) {
        List<Place> old = sql(WINDOW)
                .query(
                        conn,
                        row -> new Place(JdbcTemplate.instant(row, "failed_at"), row.getString("event_id")),
                        after.failedAt,
                        after.failedAt,
                        after.eventId,
                        before,
                        limit);
        List<IdList> events =
                IdList.chunks(old.stream().map(Place::eventId).distinct().toList());
        delete(conn, letters.sql(ENDED).with("attempts", tableName).queryAmong(conn, events, Sql.EVENT_ID));
        return old;
    }

    private Sql sql(String template) {
        return store.sql(template).with("attempts", tableName);
    }
}
