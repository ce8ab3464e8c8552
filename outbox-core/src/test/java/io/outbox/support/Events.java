package io.outbox.support;

import io.outbox.EventEnvelope;
import java.time.Instant;

/** Events for tests. */
public final class Events {

    public static final String TYPE = "Tested";

    private Events() {}

    public static EventEnvelope event(String eventId) {
        return event(eventId, TYPE);
    }

    public static EventEnvelope event(String eventId, String eventType) {
        return EventEnvelope.builder(eventType)
                .eventId(eventId)
                .payloadJson("{}")
                .build();
    }

    /** An event that occurred at the given time. */
    public static EventEnvelope eventAt(String eventId, Instant occurredAt) {
        return EventEnvelope.builder(TYPE)
                .eventId(eventId)
                .occurredAt(occurredAt)
                .payloadJson("{}")
                .build();
    }
}
