package io.outbox.spi;

import io.outbox.EventEnvelope;

/**
 * Makes payloads out of the objects that are published, in place of the {@link JsonCodec}: for events in Avro, Protobuf
 * and the like. It is called when an event is published, so what it throws fails the publishing transaction, and what
 * it makes is stored and sent as it is. Implementations are thread-safe.
 */
@FunctionalInterface
public interface PayloadSerializer {

    /**
     * Returns the event with its payload, and perhaps further headers.
     *
     * @param event everything but the payload; for now it is a {@linkplain EventEnvelope#isTombstone() tombstone}
     * @param payload what is published; no bytes, which are taken as they are
     */
    EventEnvelope serialize(EventEnvelope event, Object payload);
}
