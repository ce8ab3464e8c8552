package io.outbox.registry;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.EventType;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A {@link ListenerRegistry} with one listener per (aggregate type, event type). Thread-safe. */
public final class DefaultListenerRegistry implements ListenerRegistry {

    private record Route(String aggregateType, String eventType) {}

    private final ConcurrentMap<Route, EventListener> listeners = new ConcurrentHashMap<>();

    /** Registers the listener for events of no particular aggregate type. */
    public DefaultListenerRegistry register(String eventType, EventListener listener) {
        return register(AggregateType.GLOBAL.name(), eventType, listener);
    }

    /** Registers the listener for events of no particular aggregate type. */
    public DefaultListenerRegistry register(EventType eventType, EventListener listener) {
        return register(AggregateType.GLOBAL, eventType, listener);
    }

    public DefaultListenerRegistry register(AggregateType aggregateType, EventType eventType, EventListener listener) {
        return register(aggregateType.name(), eventType.name(), listener);
    }

    public DefaultListenerRegistry register(BoundEventListener listener) {
        return register(listener.getAggregateType(), listener.getEventType(), listener);
    }

    /** @throws IllegalStateException if the route has a listener already */
    public DefaultListenerRegistry register(String aggregateType, String eventType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(listener, "listener");
        EventListener existing = listeners.putIfAbsent(new Route(aggregateType, eventType), listener);
        if (existing != null) {
            throw new IllegalStateException("Listener already registered for aggregateType=" + aggregateType
                    + ", eventType=" + eventType + " (" + existing.getClass().getName()
                    + "); a route has exactly one listener: use an EventInterceptor for cross-cutting work");
        }
        return this;
    }

    @Override
    public EventListener listenerFor(String aggregateType, String eventType) {
        return listeners.get(new Route(aggregateType, eventType));
    }
}
