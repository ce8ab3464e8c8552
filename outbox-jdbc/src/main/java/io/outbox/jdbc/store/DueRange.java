package io.outbox.jdbc.store;

import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DueType;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Which pending events are asked for.
 *
 * @param dueUntil the latest time at which they are due
 * @param createdUntil the latest time of their creation
 * @param types their types
 * @param after the event behind which they stand in due order, or {@code null}
 */
record DueRange(Instant dueUntil, Instant createdUntil, EventTypes types, DueCursor after) {

    /** Later than any time in a row; databases do not go further. */
    private static final Instant AFTER_ALL = Instant.parse("9999-12-31T23:59:59Z");

    static DueRange of(FetchRequest request) {
        return new DueRange(
                request.now(),
                request.now().minus(request.skipRecent()),
                request.types(),
                DueCursor.from(request.after()));
    }

    static DueRange of(ClaimRequest request) {
        return new DueRange(
                request.asOf(), request.createdUntil(), request.scope().types(), DueCursor.from(request.after()));
    }

    /** One type, from a time on, however far ahead. */
    static DueRange from(DueType type) {
        return new DueRange(AFTER_ALL, AFTER_ALL, EventTypes.only(type.eventType()), DueCursor.before(type.due()));
    }

    /** All types from the front. */
    static DueRange first(Instant now, Duration skipRecent) {
        return new DueRange(now, now.minus(skipRecent), EventTypes.ALL, null);
    }

    /** Returns the same for each of the types that are named. */
    List<DueRange> byType() {
        return types.names().stream()
                .map(name -> new DueRange(dueUntil, createdUntil, EventTypes.only(name), after))
                .toList();
    }

    /** Returns the condition as any database understands it. */
    DueCondition condition() {
        List<Object> params = new ArrayList<>(List.of(dueUntil, createdUntil));
        if (after != null) {
            params.addAll(after.params());
        }
        params.addAll(types.names());
        return new DueCondition(
                "available_at <= ? AND created_at <= ?" + (after == null ? "" : DueCursor.FOLLOWS)
                        + typeCondition(types),
                params);
    }

    /**
     * Returns the condition for a single type as a range of pairs, which only an index by type serves: a planner that
     * takes most events for events of this type might otherwise read those of all types in due order.
     */
    DueCondition conditionByPairs() {
        String type = types.names().get(0);
        Instant from = after == null ? AbstractJdbcOutboxStore.BEFORE_ALL : after.availableAt();
        List<Object> params = new ArrayList<>(List.of(type, from, type, dueUntil, createdUntil));
        if (after != null) {
            params.addAll(after.params());
        }
        return new DueCondition(
                "(event_type, available_at) >= (?, ?) AND (event_type, available_at) <= (?, ?) AND created_at <= ?"
                        + (after == null ? "" : DueCursor.FOLLOWS),
                params);
    }

    /** Returns the condition for these types behind others; its parameters are their names. */
    static String typeCondition(EventTypes types) {
        if (types.isAll()) {
            return "";
        }
        if (types.names().size() == 1) {
            return " AND event_type " + (types.excluded() ? "<>" : "=") + " ?";
        }
        int count = types.names().size();
        return " AND " + (types.excluded() ? IdList.notAmong("event_type", count) : IdList.among("event_type", count));
    }
}
