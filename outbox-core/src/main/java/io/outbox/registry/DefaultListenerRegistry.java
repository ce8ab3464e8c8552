package io.outbox.registry;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.Subscription;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A {@link ListenerRegistry} with one listener per (aggregate type, event type). Thread-safe. */
public final class DefaultListenerRegistry implements ListenerRegistry {

    /** Its methods are written out: those that a record brings along are slow until they are compiled. */
    private record Key(String aggregateType, String eventType) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && Objects.equals(eventType, key.eventType)
                    && Objects.equals(aggregateType, key.aggregateType);
        }

        @Override
        public int hashCode() {
            return 31 * Objects.hashCode(aggregateType) + Objects.hashCode(eventType);
        }
    }

    private final ConcurrentMap<Key, EventListener> listeners = new ConcurrentHashMap<>();
    private final Set<String> eventTypes = ConcurrentHashMap.newKeySet();

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

    /** Registers the listener of a subscription, beside that of the route and those of other subscriptions. */
    public DefaultListenerRegistry register(Subscription subscription, EventListener listener) {
        return register(subscription.aggregateType(), subscription.storedEventType(), listener);
    }

    /** @throws IllegalStateException if the route has a listener already */
    public DefaultListenerRegistry register(String aggregateType, String eventType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(listener, "listener");
        EventListener existing = listeners.putIfAbsent(new Key(aggregateType, eventType), listener);
        if (existing != null) {
            String ofAggregateType =
                    AggregateType.GLOBAL.name().equals(aggregateType) ? "" : ", aggregateType=" + aggregateType;
            throw new IllegalStateException("Listener already registered for eventType=" + eventType + ofAggregateType
                    + " (" + existing.getClass().getName()
                    + "); a route has exactly one listener: use subscriptions for several, or an EventInterceptor for"
                    + " cross-cutting work");
        }
        eventTypes.add(eventType);
        return this;
    }

    /** Returns whether this very listener is registered, for whatever route. */
    public boolean contains(EventListener listener) {
        return listeners.values().stream().anyMatch(registered -> registered == listener);
    }

    @Override
    public EventListener listenerFor(String aggregateType, String eventType) {
        return listeners.get(new Key(aggregateType, eventType));
    }

    @Override
    public boolean hasListenerFor(String eventType) {
        return eventTypes.contains(eventType);
    }

    /** Returns the event types that have a listener, in alphabetical order. */
    public Set<String> eventTypes() {
        return Collections.unmodifiableSet(new TreeSet<>(eventTypes));
    }
}
