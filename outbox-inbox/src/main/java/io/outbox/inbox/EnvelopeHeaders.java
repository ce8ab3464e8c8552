package io.outbox.inbox;

import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.spi.HeaderReader;
import org.jspecify.annotations.Nullable;

/** Reads the headers that an event has, or would have in a broker message. */
final class EnvelopeHeaders implements HeaderReader<EventEnvelope> {

    @Override
    public Class<EventEnvelope> messageType() {
        return EventEnvelope.class;
    }

    @Override
    public @Nullable Object header(EventEnvelope event, String name) {
        return name.equals(OutboxHeaders.EVENT_ID.getValue())
                ? event.eventId()
                : OutboxHeaders.of(event).get(name);
    }
}
