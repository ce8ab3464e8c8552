package io.outbox.registry;

import io.outbox.EventListener;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A registry that leaves everything to another: the base of registries that wrap one. */
public abstract class ForwardingRegistry implements ListenerRegistry {

    private final ListenerRegistry listeners;

    protected ForwardingRegistry(ListenerRegistry listeners) {
        this.listeners = Objects.requireNonNull(listeners, "listeners");
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return listeners.listenerFor(aggregateType, eventType);
    }

    @Override
    public boolean hasListenerFor(String eventType) {
        return listeners.hasListenerFor(eventType);
    }

    @Override
    public String currentType(String eventType) {
        return listeners.currentType(eventType);
    }

    @Override
    public Set<String> eventTypes() {
        return listeners.eventTypes();
    }
}
