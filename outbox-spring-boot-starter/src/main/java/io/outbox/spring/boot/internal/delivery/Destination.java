package io.outbox.spring.boot.internal.delivery;

import io.outbox.spi.PayloadSerializer;
import java.util.Map;

/** Where a feature takes events to. Others ask all beans of this type, and need not know whose they are. */
public interface Destination {

    /**
     * Returns whether events of the route go there.
     *
     * @param outbox the name of the outbox that they are in; {@code null} for any
     */
    boolean has(String outbox, String aggregateType, String eventType);

    /** Returns what makes the payloads of an event type when they are published, or {@code null} for the codec. */
    default PayloadSerializer serializer(String eventType) {
        return null;
    }

    /** Returns the event types of which it takes every event for itself, each with who does so, for messages. */
    default Map<String, String> takers() {
        return Map.of();
    }
}
