package io.outbox.spring.boot.internal.delivery;

import io.outbox.registry.DefaultListenerRegistry;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the listeners of outboxes with a name are registered. Thread-safe. */
public final class ListenerRegistries {

    private final Map<String, DefaultListenerRegistry> byOutbox = new LinkedHashMap<>();

    /** @throws IllegalStateException if there is an outbox of this name already */
    public synchronized DefaultListenerRegistry add(String outbox) {
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        if (byOutbox.putIfAbsent(outbox, registry) != null) {
            throw new IllegalStateException("There is an outbox with the name '" + outbox + "' already");
        }
        return registry;
    }

    public synchronized Map<String, DefaultListenerRegistry> byOutbox() {
        return Collections.unmodifiableMap(new LinkedHashMap<>(byOutbox));
    }

    /** Returns whether some outbox has a listener for the route. */
    public boolean hasListener(String aggregateType, String eventType) {
        return byOutbox().values().stream()
                .anyMatch(registry -> registry.listenerFor(aggregateType, eventType) != null);
    }
}
