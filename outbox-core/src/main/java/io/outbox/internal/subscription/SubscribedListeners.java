package io.outbox.internal.subscription;

import io.outbox.EventListener;
import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;

/**
 * Listeners as delivery sees them: those of subscriptions are shown events in place of the rows that stand for them.
 */
public final class SubscribedListeners extends ForwardingRegistry {

    /** @param listeners all listeners, those of subscriptions under their stored route */
    public SubscribedListeners(ListenerRegistry listeners) {
        super(listeners);
    }

    @Override
    public EventListener listenerFor(String aggregateType, String eventType) {
        EventListener listener = super.listenerFor(aggregateType, eventType);
        return listener == null || !EventRow.isStoredType(eventType) ? listener : SubscribedListener.of(listener);
    }
}
