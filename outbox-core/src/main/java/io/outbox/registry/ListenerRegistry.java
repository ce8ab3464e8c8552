package io.outbox.registry;

import io.outbox.EventListener;

/** Finds the listener of an event. Thread-safe. */
@FunctionalInterface
public interface ListenerRegistry {

    /** Returns the single listener of the route, or {@code null} if none is registered. */
    EventListener listenerFor(String aggregateType, String eventType);
}
