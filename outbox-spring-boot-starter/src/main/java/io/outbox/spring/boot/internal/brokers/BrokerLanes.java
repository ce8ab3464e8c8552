package io.outbox.spring.boot.internal.brokers;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.WriterHook;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.PayloadSerializer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;

/**
 * The event types that go to a broker: each has a lane in every outbox, whose listener is the type's sender, whatever the
 * event's aggregate type.
 */
public final class BrokerLanes implements DisposableBean {

    private final Map<String, LanePolicy> policies;
    private final Senders senders;
    private final WriterHook routesCheck;

    /**
     * Creates the lanes.
     *
     * @param senders has one for each of these event types
     * @param routesCheck refuses events that have no route
     */
    BrokerLanes(Map<String, LanePolicy> policies, Senders senders, WriterHook routesCheck) {
        this.policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
        this.senders = senders;
        this.routesCheck = routesCheck;
    }

    /** Returns what leaves an outbox as it is. */
    public static BrokerLanes none() {
        return new BrokerLanes(Map.of(), Senders.none(), WriterHook.NOOP);
    }

    /** Returns the event types that go to a broker. */
    public Set<String> eventTypes() {
        return policies.keySet();
    }

    /** Returns a registry with the senders for the configured event types, and the given listeners for all others. */
    public ListenerRegistry over(ListenerRegistry others) {
        return policies.isEmpty() ? others : new WithSenders(senders, others);
    }

    private record WithSenders(Senders senders, ListenerRegistry others) implements ListenerRegistry {

        @Override
        public EventListener listenerFor(String aggregateType, String eventType) {
            EventListener sender = senders.of(eventType);
            return sender != null ? sender : others.listenerFor(aggregateType, eventType);
        }

        @Override
        public boolean hasListenerFor(String eventType) {
            return senders.of(eventType) != null || others.hasListenerFor(eventType);
        }
    }

    /** Returns what makes the payloads of an event type when they are published, or {@code null} for the codec. */
    public PayloadSerializer serializer(String eventType) {
        return senders.serializerOf(eventType);
    }

    public void addTo(Outbox.AbstractBuilder<?> builder) {
        if (!policies.isEmpty()) {
            policies.forEach(builder::lane);
            builder.writerHook(routesCheck);
        }
    }

    /** Ends the senders, after the outboxes, which depend on this bean. */
    @Override
    public void destroy() throws Exception {
        senders.close();
    }
}
