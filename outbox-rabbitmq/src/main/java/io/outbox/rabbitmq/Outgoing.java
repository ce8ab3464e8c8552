package io.outbox.rabbitmq;

import io.outbox.EventEnvelope;

/**
 * An event on its way to an exchange.
 *
 * @param index the event's place in its batch
 * @param message what it is sent as
 */
record Outgoing(int index, EventEnvelope event, RabbitMessage message) {

    /** What the rights and bindings of the broker depend on. */
    record Target(String exchange, String routingKey) {}

    Target target() {
        return new Target(message.exchange(), message.routingKey());
    }

    String exchange() {
        return message.exchange();
    }

    /** Returns what the broker's limit is about. */
    byte[] body() {
        return message.body();
    }
}
