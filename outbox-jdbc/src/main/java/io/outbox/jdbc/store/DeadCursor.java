package io.outbox.jdbc.store;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.PageCursor;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;

/** The place of an event in the order of creation, which is the order of pages of DEAD events. */
record DeadCursor(Instant createdAt, String eventId) implements PageCursor, Comparable<DeadCursor> {

    private static final Comparator<DeadCursor> ORDER =
            Comparator.comparing(DeadCursor::createdAt).thenComparing(DeadCursor::eventId);

    /** The condition for what follows; its parameters are {@link #params()}. */
    static final String FOLLOWS = "created_at >= ? AND (created_at > ? OR event_id > ?)";

    /** Before all events: databases have no earlier times. */
    static final DeadCursor START = new DeadCursor(Instant.parse("1000-01-01T00:00:00Z"), IdList.NO_EVENT);

    /** Not all databases know later times. */
    private static final Instant LAST_TIME = Instant.parse("9999-12-31T23:59:59.999999Z");

    static DeadCursor of(OutboxEvent event) {
        return new DeadCursor(event.createdAt(), event.eventId());
    }

    /** Returns the cursor of a request, which must be one of ours; {@code null} is the start. */
    static DeadCursor from(PageCursor cursor) {
        if (cursor == null) {
            return START;
        }
        if (cursor instanceof DeadCursor ours) {
            return ours;
        }
        throw new IllegalArgumentException(
                "not a place between pages of dead events of this engine: " + cursor.getClass());
    }

    /** Returns the place as text, from which {@link #parse} makes it again. */
    String text() {
        return createdAt + "~" + eventId;
    }

    static DeadCursor parse(String text) {
        int end = text.indexOf('~');
        try {
            Instant createdAt = Instant.parse(text.substring(0, Math.max(0, end)));
            if (createdAt.isBefore(START.createdAt) || createdAt.isAfter(LAST_TIME)) {
                throw new IllegalArgumentException("not a time of an event: " + createdAt);
            }
            return new DeadCursor(createdAt, text.substring(end + 1));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("not a place between pages of dead events", e);
        }
    }

    List<Object> params() {
        return List.of(createdAt, createdAt, eventId);
    }

    @Override
    public int compareTo(DeadCursor other) {
        return ORDER.compare(this, other);
    }
}
