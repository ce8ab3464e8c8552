package io.outbox.spring.boot.internal.brokers;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.ListenerRegistry;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;

/**
 * The event types that go to a broker: each has a lane in every outbox, whose listener is the sender, whatever the event's
 * aggregate type.
 */
public final class BrokerLanes implements DisposableBean {

    private final Map<String, LanePolicy> policies;
    private final EventListener sender;

    /**
     * Creates the lanes.
     *
     * @param sender the listener of all these event types; {@code null} if there are none
     */
    BrokerLanes(Map<String, LanePolicy> policies, EventListener sender) {
        this.policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
        this.sender = sender;
    }

    /** Returns what leaves an outbox as it is. */
    public static BrokerLanes none() {
        return new BrokerLanes(Map.of(), null);
    }

    /** Returns the event types that go to the broker. */
    public Set<String> eventTypes() {
        return policies.keySet();
    }

    /** Returns a registry with the sender for the configured event types, and the given listeners for all others. */
    public ListenerRegistry over(ListenerRegistry others) {
        return policies.isEmpty() ? others : new WithSender(policies.keySet(), sender, others);
    }

    private record WithSender(Set<String> eventTypes, EventListener sender, ListenerRegistry others)
            implements ListenerRegistry {

        @Override
        public EventListener listenerFor(String aggregateType, String eventType) {
            return eventTypes.contains(eventType) ? sender : others.listenerFor(aggregateType, eventType);
        }

        @Override
        public boolean hasListenerFor(String eventType) {
            return eventTypes.contains(eventType) || others.hasListenerFor(eventType);
        }
    }

    public void addTo(Outbox.AbstractBuilder<?> builder) {
        policies.forEach(builder::lane);
    }

    /** Ends the sender, after the outboxes, which depend on this bean. */
    @Override
    public void destroy() throws Exception {
        if (sender instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
