package io.outbox.spi;

import org.jspecify.annotations.Nullable;

/**
 * A request for DEAD events, oldest first.
 *
 * @param eventType the only type that qualifies, or {@code null} for all
 * @param aggregateType the only aggregate type that qualifies, or {@code null} for all
 * @param limit the largest number of events to return
 * @param after where the previous page ended, or {@code null} for the first
 */
public record DeadQuery(
        @Nullable String eventType,
        @Nullable String aggregateType,
        int limit,
        @Nullable PageCursor after) {

    public DeadQuery {
        Limits.atLeastOne(limit, "limit");
    }

    /** Returns the same request for the page that begins there. */
    public DeadQuery after(@Nullable PageCursor cursor) {
        return new DeadQuery(eventType, aggregateType, limit, cursor);
    }
}
