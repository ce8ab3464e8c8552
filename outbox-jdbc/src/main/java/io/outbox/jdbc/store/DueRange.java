package io.outbox.jdbc.store;

import io.outbox.spi.ClaimRequest;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
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

    /** All types from the front. */
    static DueRange first(Instant now, Duration skipRecent) {
        return new DueRange(now, now.minus(skipRecent), EventTypes.ALL, null);
    }

    /** Returns the condition, without that on the status; its parameters are {@link #params()}. */
    String condition() {
        return "available_at <= ? AND created_at <= ?" + (after == null ? "" : DueCursor.FOLLOWS) + typeCondition();
    }

    private String typeCondition() {
        if (types.isAll()) {
            return "";
        }
        if (types.names().size() == 1) {
            return " AND event_type " + (types.excluded() ? "<>" : "=") + " ?";
        }
        return " AND event_type " + (types.excluded() ? "NOT IN" : "IN") + " ("
                + String.join(", ", Collections.nCopies(types.names().size(), "?")) + ")";
    }

    /** Returns the parameters of the condition, followed by others. */
    List<Object> params(Object... more) {
        List<Object> params = new ArrayList<>();
        params.add(dueUntil);
        params.add(createdUntil);
        if (after != null) {
            params.addAll(after.params());
        }
        params.addAll(types.names());
        params.addAll(List.of(more));
        return params;
    }
}
