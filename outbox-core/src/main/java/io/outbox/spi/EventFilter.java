package io.outbox.spi;

import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the events that an operator wants to see. What is left out matches all.
 *
 * @param states the states that qualify; none for all
 * @param scope what the events are about
 * @param from the earliest time of creation
 * @param to the time of creation before which they were created
 * @param failure what they failed of
 * @param payload what their stored payload contains, in whatever case
 */
public record EventFilter(
        Set<EventStatus> states,
        Scope scope,
        @Nullable Instant from,
        @Nullable Instant to,
        Failure failure,
        @Nullable String payload) {

    /** Matches all events. */
    public static final EventFilter ALL = new EventFilter(Set.of(), Scope.ALL, null, null, Failure.ANY);

    /** A filter that payloads do not matter to. */
    public EventFilter(
            Set<EventStatus> states, Scope scope, @Nullable Instant from, @Nullable Instant to, Failure failure) {
        this(states, scope, from, to, failure, null);
    }

    public EventFilter {
        states = Set.copyOf(states);
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(failure, "failure");
    }

    /** Returns the same filter for events in this state only. */
    public EventFilter in(EventStatus state) {
        return in(Set.of(state));
    }

    /** Returns the same filter for events in these states only. */
    public EventFilter in(Set<EventStatus> these) {
        return new EventFilter(these, scope, from, to, failure, payload);
    }

    /** What events are about. What is left out matches all. */
    public record Scope(
            @Nullable String eventType,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenantId) {

        public static final Scope ALL = new Scope(null, null, null, null);
    }

    /**
     * What events failed of. What is left out matches all.
     *
     * @param text what their last error contains, in whatever case
     * @param fingerprint the only kind of failure that qualifies
     */
    public record Failure(@Nullable String text, @Nullable String fingerprint) {

        public static final Failure ANY = new Failure(null, null);
    }
}
