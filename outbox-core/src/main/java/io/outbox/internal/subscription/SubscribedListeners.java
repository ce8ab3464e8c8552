package io.outbox.internal.subscription;

import io.outbox.EventListener;
import io.outbox.registry.ListenerRegistry;

/**
 * The application's listeners, with those of subscriptions among them.
 *
 * @param subscribed the listeners that were given to the outbox together with their subscription
 * @param application where all others are registered, those of subscriptions under their stored route
 */
public record SubscribedListeners(ListenerRegistry subscribed, ListenerRegistry application)
        implements ListenerRegistry {

    @Override
    public EventListener listenerFor(String aggregateType, String eventType) {
        if (!EventRow.isStoredType(eventType)) {
            return application.listenerFor(aggregateType, eventType);
        }
        EventListener given = subscribed.listenerFor(aggregateType, eventType);
        EventListener listener = given != null ? given : application.listenerFor(aggregateType, eventType);
        return listener == null ? null : SubscribedListener.of(listener);
    }

    @Override
    public boolean hasListenerFor(String eventType) {
        return subscribed.hasListenerFor(eventType) || application.hasListenerFor(eventType);
    }
}
