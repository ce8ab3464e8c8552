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
import org.jspecify.annotations.Nullable;

/**
 * A {@link ListenerRegistry} with one listener per (aggregate type, event type). Thread-safe.
 *
 * <p>An event goes to the listener of its type; or else to that of the type whose {@linkplain #alias former name} it
 * has; or else to one for {@linkplain EventType#ANY any type} of its aggregate type; or else to one for any type at
 * all, which is registered without an aggregate type.
 */
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
    /** The current names of types by their former ones. */
    private final ConcurrentMap<String, String> aliases = new ConcurrentHashMap<>();
    /** Whether an event may have a listener that is not the one of its own type. */
    private volatile boolean hasIndirect;

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
    public synchronized DefaultListenerRegistry register(
            String aggregateType, String eventType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(listener, "listener");
        requireNoFormerName(eventType);
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
        hasIndirect |= eventType.equals(anyOf(eventType));
        return this;
    }

    /**
     * Delivers events that were stored under a former name of an event type to the listeners of the type, those of
     * subscriptions included. The events keep the type they were stored with. The name may be forgotten once nothing
     * waits under it.
     *
     * @throws IllegalStateException if the former name has a listener, or is a former name of another type, or the
     * current one is
     */
    public synchronized DefaultListenerRegistry alias(String formerType, String currentType) {
        Objects.requireNonNull(formerType, "formerType");
        Objects.requireNonNull(currentType, "currentType");
        if (formerType.equals(currentType)) {
            throw new IllegalArgumentException("An event type cannot be a former name of itself: " + formerType);
        }
        String other = aliases.get(formerType);
        if (other != null && !other.equals(currentType)) {
            throw new IllegalStateException("'" + formerType + "' cannot be a former name of event type '" + currentType
                    + "', since it is one of '" + other + "'");
        }
        requireNoFormerName(currentType);
        if (aliases.containsValue(formerType) || eventTypes.stream().anyMatch(type -> isOrIsRowOf(type, formerType))) {
            throw new IllegalStateException("'" + formerType + "' cannot be a former name of event type '" + currentType
                    + "', since it is in use: it has a listener or its own former names");
        }
        aliases.put(formerType, currentType);
        hasIndirect = true;
        return this;
    }

    private void requireNoFormerName(String eventType) {
        String current = currentType(eventType);
        if (!current.equals(eventType)) {
            throw new IllegalStateException("'" + eventType + "' is a former name of event type '" + current
                    + "', which alone can have listeners");
        }
    }

    private static boolean isOrIsRowOf(String type, String eventType) {
        return type.startsWith(eventType)
                && (type.length() == eventType.length() || suffix(type) == eventType.length());
    }

    /** Returns where the name of the subscription begins, or the end if there is none. */
    private static int suffix(String eventType) {
        int separator = eventType.indexOf('#');
        return separator < 0 ? eventType.length() : separator;
    }

    /** Returns what stands for any type, of the same subscription. */
    private static String anyOf(String eventType) {
        return EventType.ANY.name() + eventType.substring(suffix(eventType));
    }

    /** Returns whether this very listener is registered for any route. */
    public boolean contains(EventListener listener) {
        return listeners.values().stream().anyMatch(registered -> registered == listener);
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        EventListener listener = listeners.get(new Key(aggregateType, eventType));
        return listener != null || !hasIndirect ? listener : indirect(aggregateType, eventType);
    }

    private @Nullable EventListener indirect(String aggregateType, String eventType) {
        EventListener listener = listeners.get(new Key(aggregateType, currentType(eventType)));
        String any = anyOf(eventType);
        if (listener == null) {
            listener = listeners.get(new Key(aggregateType, any));
        }
        return listener != null ? listener : listeners.get(new Key(AggregateType.GLOBAL.name(), any));
    }

    @Override
    public String currentType(String eventType) {
        if (aliases.isEmpty()) {
            return eventType;
        }
        int suffix = suffix(eventType);
        String current = aliases.get(eventType.substring(0, suffix));
        return current == null ? eventType : current + eventType.substring(suffix);
    }

    @Override
    public boolean hasListenerFor(String eventType) {
        return eventTypes.contains(eventType)
                || (hasIndirect
                        && (eventTypes.contains(currentType(eventType)) || eventTypes.contains(anyOf(eventType))));
    }

    @Override
    public Set<String> eventTypes() {
        return Collections.unmodifiableSet(new TreeSet<>(eventTypes));
    }
}
