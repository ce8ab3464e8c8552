package io.outbox.spi;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * The event types that a look at a store found, each with when its first pending event is due, held or not.
 *
 * @param types the types, in an order that is the engine's own
 * @param isComplete whether these are all types with pending events; if not, those whose events are first
 */
public record DueTypes(List<DueType> types, boolean isComplete) {

    /** The answer of an engine that cannot tell. */
    public static final DueTypes UNKNOWN = new DueTypes(List.of(), false);

    public DueTypes {
        types = List.copyOf(types);
    }

    /** Returns the types of pending events, given as the type and the due time of each, in order of their names. */
    public static DueTypes of(List<DueType> events, boolean isComplete) {
        Map<String, Instant> first = new TreeMap<>();
        BinaryOperator<Instant> earlier = (one, other) -> one.isBefore(other) ? one : other;
        events.forEach(event -> first.merge(event.eventType(), event.due(), earlier));
        return new DueTypes(
                first.entrySet().stream()
                        .map(type -> new DueType(type.getKey(), type.getValue()))
                        .toList(),
                isComplete);
    }
}
