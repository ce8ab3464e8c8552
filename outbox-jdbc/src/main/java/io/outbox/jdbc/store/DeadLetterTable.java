package io.outbox.jdbc.store;

import io.outbox.DuplicateEventException;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.Fingerprint;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The statements that move events between the outbox table and the table of dead letters. All of them want a
 * transaction of the caller's. Rows are locked in the table that they leave, and copied by way of this process, so that
 * they are written as the store writes any event, whatever the types of the columns.
 */
final class DeadLetterTable {

    private static final String LOCK_DEAD = """
            SELECT {columns}, last_error{order_columns} FROM {by_id} WHERE event_id {among} AND status > 2{lock}""";

    private static final String DELETE_DEAD = "{delete_by_id} WHERE event_id {among} AND status > 2";

    private static final String INSERT = """
            INSERT INTO {letters} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status,
              attempts, available_at, created_at, last_error, fingerprint, first_failed_at, last_failed_at, moved_at,
              updated_at{order_columns})
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, {now}, {now}{order_values})""";

    private static final String RETURN = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, {now}, ?)""";

    private static final String RETURN_IN_ORDER = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at, order_key, order_seq)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, {now}, ?, ?, ?)""";

    private static final String PLACES = """
            SELECT event_id, order_key, order_seq FROM {letters} WHERE event_id {among} AND order_key IS NOT NULL""";

    private static final String DELETE = "DELETE FROM {letters} WHERE event_id {among}";

    private static final String TAKEN = "SELECT event_id FROM {by_id} WHERE event_id {among}";

    private static final String PRESENT = "SELECT event_id FROM {letters} WHERE event_id {among}";

    private static final String LOCK = "SELECT {letter} FROM {letters} WHERE event_id {among} ORDER BY event_id{wait}";

    private static final String FIND = "SELECT {letter} FROM {letters} WHERE event_id {among}";

    private static final String FIRST_APPROVED = """
            SELECT event_id FROM {letters} d WHERE status = 2
              AND NOT EXISTS (SELECT 1 FROM {table} o WHERE o.event_id = d.event_id)
            ORDER BY created_at, event_id LIMIT ?""";

    private static final String LOCK_APPROVED =
            "SELECT {letter} FROM {letters} WHERE event_id {among} AND status = 2{claim}";

    private static final String CHANGE = """
            UPDATE {letters} SET status = ?, updated_at = {now}, updated_by = ? WHERE event_id {among} AND status = 0""";

    private static final String STATE_COLUMNS =
            ", status, last_error, fingerprint, first_failed_at, last_failed_at, moved_at, updated_at, updated_by";

    private final AbstractJdbcOutboxStore store;
    private final String tableName;
    private final Attempts attempts;

    DeadLetterTable(AbstractJdbcOutboxStore store, String tableName, Attempts attempts) {
        this.store = store;
        this.tableName = tableName;
        this.attempts = attempts;
    }

    /** @param place where the event stands among those of its key, or {@code null} if nowhere */
    private record Dead(OutboxEvent event, String error, Place place) {}

    /** The place of an event in the order of its key. */
    private record Place(String key, long number) {

        static Place of(ResultSet row) throws SQLException {
            String key = row.getString("order_key");
            return key == null ? null : new Place(key, row.getLong("order_seq"));
        }
    }

    /** Makes letters of those events that are DEAD and in the outbox table; returns them. */
    List<OutboxEvent> move(Connection conn, Collection<String> eventIds, String lock) {
        List<OutboxEvent> moved = new ArrayList<>();
        for (IdList ids : IdList.sorted(eventIds)) {
            List<Dead> dead = sql(LOCK_DEAD).with("lock", lock).queryAmong(conn, List.of(ids), this::mapDead);
            if (!dead.isEmpty()) {
                move(conn, dead);
                dead.forEach(one -> moved.add(one.event));
            }
        }
        return moved;
    }

    private Dead mapDead(ResultSet row) throws SQLException {
        Place place = store.isKeyed() ? Place.of(row) : null;
        return new Dead(store.mapRow(row), row.getString("last_error"), place);
    }

    private void move(Connection conn, List<Dead> dead) {
        List<String> eventIds = dead.stream().map(one -> one.event.eventId()).toList();
        delete(conn, eventIds); // of an event that was written again under the id of a letter
        Map<String, Attempts.Span> spans = attempts.spans(conn, eventIds);
        if (spans.size() < dead.size()) { // they died before attempts were written down
            Instant now = store.currentTime(conn);
            eventIds.forEach(eventId -> spans.putIfAbsent(eventId, new Attempts.Span(now, now)));
        }
        sql(INSERT)
                .batch(
                        conn,
                        dead.stream()
                                .map(one -> row(one, spans.get(one.event.eventId())))
                                .toList());
        sql(DELETE_DEAD).updateAmong(conn, store.idLists(eventIds));
    }

    private Object[] row(Dead dead, Attempts.Span span) {
        List<Object> row = values(dead.event);
        row.add(dead.event.attempts());
        row.add(dead.event.availableAt());
        row.add(dead.event.createdAt());
        row.add(dead.error);
        row.add(Fingerprint.of(dead.error));
        row.add(span.first());
        row.add(span.last());
        if (store.isKeyed()) {
            row.add(dead.place == null ? null : dead.place.key);
            row.add(dead.place == null ? null : dead.place.number);
        }
        return row.toArray();
    }

    private static List<Object> values(OutboxEvent event) {
        List<Object> values = new ArrayList<>();
        values.add(event.eventId());
        values.add(event.eventType());
        values.add(event.aggregateType());
        values.add(event.aggregateId());
        values.add(event.tenantId());
        values.add(event.payloadJson());
        values.add(event.headersJson());
        return values;
    }

    /** Returns letters that the caller has locked to the outbox table. */
    void toOutbox(Connection conn, List<DeadLetter> letters) {
        if (letters.isEmpty()) {
            return;
        }
        List<String> eventIds = letters.stream().map(DeadLetter::eventId).toList();
        Map<String, Place> places = places(conn, eventIds);
        try {
            insert(conn, RETURN, letters, Map.of(), letter -> !places.containsKey(letter.eventId()));
            insert(conn, RETURN_IN_ORDER, letters, places, letter -> places.containsKey(letter.eventId()));
        } catch (OutboxStoreException e) {
            throw e.getCause() instanceof SQLException cause && store.isDuplicate(cause)
                    ? new DuplicateEventException(eventIds, cause)
                    : e;
        }
        delete(conn, eventIds);
    }

    private void insert(
            Connection conn,
            String template,
            List<DeadLetter> letters,
            Map<String, Place> places,
            Predicate<DeadLetter> which) {
        List<Object[]> rows = letters.stream()
                .filter(which)
                .map(letter -> {
                    List<Object> row = values(letter.event());
                    row.add(letter.event().createdAt());
                    Place place = places.get(letter.eventId());
                    if (place != null) {
                        row.add(place.key);
                        row.add(place.number);
                    }
                    return row.toArray();
                })
                .toList();
        if (!rows.isEmpty()) {
            store.inserts().batch(conn, sql(template).toString(), rows);
        }
    }

    /** Returns where those of the letters stood that kept their order. */
    private Map<String, Place> places(Connection conn, Collection<String> eventIds) {
        Map<String, Place> places = new HashMap<>();
        if (!store.isKeyed()) {
            return places;
        }
        sql(PLACES)
                .queryAmong(conn, IdList.chunks(eventIds), row -> places.put(row.getString("event_id"), Place.of(row)));
        return places;
    }

    /** Locks the letters, in the order of their ids. */
    List<DeadLetter> lock(Connection conn, Collection<String> eventIds) {
        return read(conn, LOCK, eventIds);
    }

    List<DeadLetter> find(Connection conn, Collection<String> eventIds) {
        return read(conn, FIND, eventIds);
    }

    private List<DeadLetter> read(Connection conn, String template, Collection<String> eventIds) {
        return sql(template).queryAmong(conn, IdList.sorted(eventIds), this::mapLetter);
    }

    /** Locks letters that are to be returned and whose id is free, and leaves those out that others have locked. */
    List<DeadLetter> lockApproved(Connection conn, int limit) {
        List<String> first = sql(FIRST_APPROVED).query(conn, Sql.EVENT_ID, limit);
        return read(conn, LOCK_APPROVED, first).stream()
                .sorted(DeadWalk.IN_ORDER)
                .toList();
    }

    void change(Connection conn, Collection<String> eventIds, DlqStatus status, String changedBy) {
        sql(CHANGE).updateAmong(conn, IdList.sorted(eventIds), status.code(), changedBy);
    }

    void delete(Connection conn, Collection<String> eventIds) {
        sql(DELETE).updateAmong(conn, IdList.sorted(eventIds));
    }

    /** Returns those of the events that are letters. */
    Set<String> present(Connection conn, Collection<String> eventIds) {
        return Set.copyOf(idsOf(conn, PRESENT, eventIds));
    }

    /** Returns those of the ids that the outbox table has. */
    Set<String> taken(Connection conn, Collection<String> eventIds) {
        return Set.copyOf(idsOf(conn, TAKEN, eventIds));
    }

    /** Returns those of the ids that a statement finds. */
    List<String> idsOf(Connection conn, String template, Collection<String> eventIds) {
        return sql(template).queryAmong(conn, IdList.sorted(eventIds), Sql.EVENT_ID);
    }

    DeadLetter mapLetter(ResultSet row) throws SQLException {
        return letter(store.mapRow(row), row);
    }

    /** Maps a row of narrow columns: a letter without payload and headers. */
    static DeadLetter mapNarrow(ResultSet row) throws SQLException {
        return letter(Rows.narrowEvent(row), row);
    }

    private static DeadLetter letter(OutboxEvent event, ResultSet row) throws SQLException {
        return new DeadLetter(
                event,
                new DeadLetter.State(
                        DlqStatus.fromCode(row.getInt("status")),
                        JdbcTemplate.instant(row, "moved_at"),
                        JdbcTemplate.instant(row, "updated_at"),
                        row.getString("updated_by")),
                new DeadLetter.Failure(
                        row.getString("last_error"),
                        row.getString("fingerprint"),
                        JdbcTemplate.instant(row, "first_failed_at"),
                        JdbcTemplate.instant(row, "last_failed_at")));
    }

    /** Fills the gaps that are the same for all letters. */
    Sql sql(String template) {
        return store.sql(template)
                .with("letters", tableName)
                .with("order_columns", store.isKeyed() ? ", order_key, order_seq" : "")
                .with("order_values", store.isKeyed() ? ", ?, ?" : "")
                .with("source", tableName)
                .with("letter", AbstractJdbcOutboxStore.COLUMNS + STATE_COLUMNS)
                .with("narrow", Rows.NARROW_COLUMNS + STATE_COLUMNS);
    }
}
