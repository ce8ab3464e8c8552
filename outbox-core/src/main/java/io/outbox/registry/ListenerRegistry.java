package io.outbox.registry;

import io.outbox.EventListener;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the listener of an event. Thread-safe. A registry that wraps another extends {@link ForwardingRegistry}. */
@FunctionalInterface
public interface ListenerRegistry {

    /** Returns the single listener of the route, or {@code null} if none is registered. */
    @Nullable
    EventListener listenerFor(String aggregateType, String eventType);

    /**
     * Returns whether events of this type may have a listener, be it only those of some aggregate type. A registry that
     * cannot tell says yes, as the default does. Among several nodes, one that says no leaves all events of the type to
     * the others without looking at each.
     */
    default boolean hasListenerFor(String eventType) {
        return true;
    }

    /**
     * Returns the name by which this event type goes today: the type itself, unless it is a former name of another.
     */
    default String currentType(String eventType) {
        return eventType;
    }

    /**
     * Returns the event types that are known to have a listener, in alphabetical order. Operators see them. Default:
     * none are known.
     */
    default Set<String> eventTypes() {
        return Set.of();
    }
}
