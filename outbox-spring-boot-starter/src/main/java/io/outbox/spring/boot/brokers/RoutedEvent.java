package io.outbox.spring.boot.brokers;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.time.Instant;
import java.util.Map;

/**
 * What the expressions of a route see of an event. Its payload is read when one of them asks for it. Not thread-safe.
 */
public final class RoutedEvent {

    private final EventEnvelope event;
    private Object payload;

    RoutedEvent(EventEnvelope event) {
        this.event = event;
    }

    /** Returns the JSON as the outbox's codec reads it: maps, lists, texts, numbers. */
    public Object getPayload() {
        if (payload == null) {
            if (event.isBinary()) {
                throw new UnrecoverableException("the payload is binary, so nothing can be read of it");
            }
            payload = event.payload(Object.class);
        }
        return payload;
    }

    public Map<String, String> getHeaders() {
        return event.headers();
    }

    public String getAggregateId() {
        return event.aggregateId();
    }

    /** Returns {@code null} for none, whose name is a matter of the table. */
    public String getAggregateType() {
        return AggregateType.GLOBAL.name().equals(event.aggregateType()) ? null : event.aggregateType();
    }

    public String getEventId() {
        return event.eventId();
    }

    public String getEventType() {
        return event.eventType();
    }

    public String getKey() {
        return event.key();
    }

    public String getTenantId() {
        return event.tenantId();
    }

    public Instant getOccurredAt() {
        return event.occurredAt();
    }
}
