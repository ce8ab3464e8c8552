package io.outbox.spring.boot.brokers;

import io.outbox.EventListener;
import io.outbox.WriterHook;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.PayloadSerializer;
import io.outbox.spring.boot.internal.delivery.Destination;
import io.outbox.spring.boot.internal.delivery.OutboxFeature;
import io.outbox.spring.boot.internal.delivery.OutboxInMaking;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;

/**
 * The event types that go to a broker: each has a lane in every outbox, whose listener is the type's sender, whatever
 * the event's aggregate type.
 */
final class BrokerLanes implements OutboxFeature, Destination, DisposableBean {

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
    static BrokerLanes none() {
        return new BrokerLanes(Map.of(), Senders.none(), WriterHook.NOOP);
    }

    /** Returns the event types that go to a broker. */
    Set<String> eventTypes() {
        return policies.keySet();
    }

    @Override
    public boolean hasLanes() {
        return !policies.isEmpty();
    }

    /** Adds the lanes, and the senders for the configured event types in front of the listeners for all others. */
    @Override
    public void addTo(OutboxInMaking outbox) {
        if (!policies.isEmpty()) {
            policies.forEach(outbox.builder()::lane);
            outbox.builder().writerHook(routesCheck).decorateListeners(others -> new WithSenders(senders, others));
        }
    }

    @Override
    public boolean has(String outbox, String aggregateType, String eventType) {
        return policies.containsKey(eventType);
    }

    private static final class WithSenders extends ForwardingRegistry {

        private final Senders senders;

        private WithSenders(Senders senders, ListenerRegistry others) {
            super(others);
            this.senders = senders;
        }

        @Override
        public EventListener listenerFor(String aggregateType, String eventType) {
            EventListener sender = senders.of(eventType);
            return sender != null ? sender : super.listenerFor(aggregateType, eventType);
        }

        @Override
        public boolean hasListenerFor(String eventType) {
            return senders.of(eventType) != null || super.hasListenerFor(eventType);
        }
    }

    @Override
    public PayloadSerializer serializer(String eventType) {
        return senders.serializerOf(eventType);
    }

    /** Ends the senders, after the outboxes, which depend on this bean. */
    @Override
    public void destroy() throws Exception {
        senders.close();
    }
}
