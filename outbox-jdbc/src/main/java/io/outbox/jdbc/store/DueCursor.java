package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.spi.PageCursor;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The place of an event in the order in which events are due, which is the order of pages. */
record DueCursor(Instant availableAt, Instant createdAt, String eventId) implements PageCursor, Comparable<DueCursor> {

    /** The condition for what follows; its parameters are {@link #params()}. */
    static final String FOLLOWS =
            " AND available_at >= ?" + " AND (available_at > ? OR created_at > ? OR (created_at = ? AND event_id > ?))";

    /** Returns the place before all events that are due at that time or later. */
    static DueCursor before(Instant due) {
        return new DueCursor(due, AbstractJdbcOutboxStore.BEFORE_ALL, IdList.NO_EVENT);
    }

    static DueCursor of(OutboxEvent event) {
        return new DueCursor(event.availableAt(), event.createdAt(), event.eventId());
    }

    /** Returns the place of the last of these events. */
    static DueCursor last(List<DueEvent> events) {
        OutboxEvent last = events.get(0).event();
        for (DueEvent due : events) {
            last = compare(due.event(), last) > 0 ? due.event() : last;
        }
        return of(last);
    }

    /** Compares the places of events. */
    static int compare(OutboxEvent one, OutboxEvent other) {
        int order = one.availableAt().compareTo(other.availableAt());
        return order != 0 ? order : compareCreation(one, other);
    }

    /** Compares when events were created. */
    static int compareCreation(OutboxEvent one, OutboxEvent other) {
        int order = one.createdAt().compareTo(other.createdAt());
        return order != 0 ? order : one.eventId().compareTo(other.eventId());
    }

    static DueCursor of(ResultSet row) throws SQLException {
        return new DueCursor(
                JdbcTemplate.instant(row, "available_at"),
                JdbcTemplate.instant(row, "created_at"),
                row.getString("event_id"));
    }

    /** Returns the cursor of a request, which must be one of ours; {@code null} stays {@code null}. */
    static DueCursor from(PageCursor cursor) {
        if (cursor == null || cursor instanceof DueCursor) {
            return (DueCursor) cursor;
        }
        throw new IllegalArgumentException(
                "not a place between pages of due events of this engine: " + cursor.getClass());
    }

    List<Object> params() {
        return List.of(availableAt, availableAt, createdAt, createdAt, eventId);
    }

    @Override
    public int compareTo(DueCursor other) {
        int order = availableAt.compareTo(other.availableAt);
        order = order != 0 ? order : createdAt.compareTo(other.createdAt);
        return order != 0 ? order : eventId.compareTo(other.eventId);
    }
}
