package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import java.util.Date;
import java.util.HashMap;

/**
 * An event on its way to an exchange.
 *
 * @param index the event's place in its batch
 * @param body the payload, which is what the broker's limit is about
 */
record Outgoing(int index, EventEnvelope event, String exchange, byte[] body) {

    private static final int PERSISTENT = 2;

    Outgoing(int index, EventEnvelope event, String exchange) {
        this(index, event, exchange, event.payloadBytes());
    }

    /** What the rights and bindings of the broker depend on. */
    record Route(String exchange, String routingKey) {}

    Route route() {
        return new Route(exchange, routingKey());
    }

    String routingKey() {
        return event.eventType();
    }

    AMQP.BasicProperties properties() {
        return new AMQP.BasicProperties.Builder()
                .messageId(event.eventId())
                .type(event.eventType())
                .timestamp(Date.from(event.occurredAt()))
                .contentType(event.isBinary() ? "application/octet-stream" : "application/json")
                .contentEncoding(event.isBinary() ? null : "UTF-8")
                .deliveryMode(PERSISTENT)
                .headers(new HashMap<>(OutboxHeaders.of(event)))
                .build();
    }
}
