package io.outbox.spi;

import java.util.List;
import java.util.Objects;

/**
 * A choice of event types.
 *
 * @param names the event types that are named
 * @param excluded whether the named types are left out instead of chosen
 */
public record EventTypes(List<String> names, boolean excluded) {

    /** Every event type. */
    public static final EventTypes ALL = new EventTypes(List.of(), true);

    public EventTypes {
        names = List.copyOf(names);
    }

    /** Returns the choice of one type. */
    public static EventTypes only(String name) {
        return new EventTypes(List.of(Objects.requireNonNull(name, "name")), false);
    }

    /** Returns the choice of all types but these. */
    public static EventTypes except(List<String> names) {
        return new EventTypes(names, true);
    }

    public boolean contains(String eventType) {
        return names.contains(eventType) != excluded;
    }

    /** Returns whether there may be an event type that is in both choices. */
    public boolean overlaps(EventTypes other) {
        if (excluded && other.excluded) {
            return true;
        }
        return excluded
                ? other.names.stream().anyMatch(this::contains)
                : names.stream().anyMatch(other::contains);
    }

    /** Returns whether no event type is chosen. */
    public boolean isNone() {
        return !excluded && names.isEmpty();
    }

    public boolean isAll() {
        return excluded && names.isEmpty();
    }
}
