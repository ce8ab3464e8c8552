package io.outbox.internal.subscription;

import io.outbox.EventListener;
import io.outbox.registry.ListenerRegistry;
import java.util.Set;
import java.util.TreeSet;

/**
 * The listeners that were given to the outbox together with their subscription, in front of the application's.
 *
 * @param given the former, under the stored route of their subscription
 * @param application where all others are registered
 */
public record GivenListeners(ListenerRegistry given, ListenerRegistry application) implements ListenerRegistry {

    @Override
    public EventListener listenerFor(String aggregateType, String eventType) {
        EventListener listener =
                EventRow.isStoredType(eventType) ? given.listenerFor(aggregateType, currentType(eventType)) : null;
        return listener != null ? listener : application.listenerFor(aggregateType, eventType);
    }

    @Override
    public boolean hasListenerFor(String eventType) {
        return given.hasListenerFor(currentType(eventType)) || application.hasListenerFor(eventType);
    }

    @Override
    public String currentType(String eventType) {
        return application.currentType(eventType);
    }

    @Override
    public Set<String> eventTypes() {
        Set<String> types = new TreeSet<>(given.eventTypes());
        types.addAll(application.eventTypes());
        return types;
    }
}
