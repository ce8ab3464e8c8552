package io.outbox.spi;

import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Set;

/**
 * Which events an operator looks for. What is {@code null} matches all.
 *
 * @param states the states that qualify; none for all
 * @param scope what the events are about
 * @param from the earliest time of creation
 * @param to the time of creation before which they were created
 * @param errorText what their last error contains, in whatever case
 */
public record EventFilter(Set<EventStatus> states, Scope scope, Instant from, Instant to, String errorText) {

    /** Matches all events. */
    public static final EventFilter ALL = new EventFilter(Set.of(), Scope.ALL, null, null, null);

    public EventFilter {
        states = Set.copyOf(states);
    }

    /** What events are about. What is {@code null} matches all. */
    public record Scope(String eventType, String aggregateType, String aggregateId, String tenantId) {

        public static final Scope ALL = new Scope(null, null, null, null);
    }
}
