package io.outbox.internal.subscription;

import io.outbox.EventListener;
import io.outbox.registry.ListenerRegistry;
import java.util.Set;

/**
 * Listeners as delivery sees them: those of subscriptions are shown events in place of the rows that stand for them.
 *
 * @param listeners all listeners, those of subscriptions under their stored route
 */
public record SubscribedListeners(ListenerRegistry listeners) implements ListenerRegistry {

    @Override
    public EventListener listenerFor(String aggregateType, String eventType) {
        EventListener listener = listeners.listenerFor(aggregateType, eventType);
        return listener == null || !EventRow.isStoredType(eventType) ? listener : SubscribedListener.of(listener);
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
