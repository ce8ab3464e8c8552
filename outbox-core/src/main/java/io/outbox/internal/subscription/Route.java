package io.outbox.internal.subscription;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;

/** What an event's listener is found by. */
public record Route(String aggregateType, String eventType) {

    public static Route of(EventEnvelope event) {
        return new Route(event.aggregateType(), event.eventType());
    }

    @Override
    public String toString() {
        return AggregateType.GLOBAL.name().equals(aggregateType)
                ? "event type " + eventType
                : "event type " + eventType + " of aggregate type " + aggregateType;
    }
}
