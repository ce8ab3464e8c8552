package io.outbox.spi;

import io.outbox.model.DlqStatus;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the dead events that an operator wants to see. What is left out matches all.
 *
 * @param status the only state that qualifies
 * @param events what qualifies otherwise; without states, since dead events have their own
 */
public record DeadLetterFilter(@Nullable DlqStatus status, EventFilter events) {

    public DeadLetterFilter {
        Objects.requireNonNull(events, "events");
        if (!events.states().isEmpty()) {
            throw new IllegalArgumentException("dead letters have none of these states: " + events.states());
        }
    }

    /** Returns a filter for letters of a state, a type and a kind of failure. */
    public static DeadLetterFilter of(
            @Nullable DlqStatus status, @Nullable String eventType, @Nullable String fingerprint) {
        EventFilter.Scope scope = new EventFilter.Scope(eventType, null, null, null);
        EventFilter.Failure failure = new EventFilter.Failure(null, fingerprint);
        return new DeadLetterFilter(status, new EventFilter(Set.of(), scope, null, null, failure));
    }
}
