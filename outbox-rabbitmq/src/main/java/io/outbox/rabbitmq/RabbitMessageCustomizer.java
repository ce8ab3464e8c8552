package io.outbox.rabbitmq;

import io.outbox.EventEnvelope;

/**
 * Changes the message that an event has become, as the last one before it is sent. Called on worker threads, each time
 * that the event is sent; an event for which it throws, or returns {@code null}, has failed, alone. Implementations are
 * thread-safe.
 */
@FunctionalInterface
public interface RabbitMessageCustomizer {

    /**
     * Returns the message to send: the one given, or another one.
     *
     * @param outgoing what the event is sent as without this customizer
     * @param event the event, as it was written
     */
    RabbitMessage customize(RabbitMessage outgoing, EventEnvelope event);
}
