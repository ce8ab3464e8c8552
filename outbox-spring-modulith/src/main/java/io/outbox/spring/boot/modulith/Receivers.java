package io.outbox.spring.boot.modulith;

import io.outbox.EventListener;
import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who receives the events that {@link ModulithWriter} writes, by name and whatever their class. Thread-safe. */
final class Receivers {

    private final Map<String, EventListener> byName = new ConcurrentHashMap<>();

    /** @throws IllegalStateException if there is one of this name already */
    void add(String name, EventListener receiver) {
        if (byName.putIfAbsent(name, receiver) != null) {
            throw new IllegalStateException("There is a receiver '" + name + "' already");
        }
    }

    @Nullable
    EventListener get(String name) {
        return byName.get(name);
    }

    /** Returns a registry that also knows these receivers. */
    ListenerRegistry inFrontOf(ListenerRegistry others) {
        return new ForwardingRegistry(others) {
            @Override
            public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
                EventListener listener = super.listenerFor(aggregateType, eventType);
                return listener != null ? listener : ofStoredType(eventType);
            }

            @Override
            public boolean hasListenerFor(String eventType) {
                return ofStoredType(eventType) != null || super.hasListenerFor(eventType);
            }
        };
    }

    private @Nullable EventListener ofStoredType(String eventType) {
        int separator = eventType.indexOf('#');
        return separator < 0 ? null : byName.get(eventType.substring(separator + 1));
    }
}
