package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.RecoverableException;
import io.outbox.UnrecoverableException;
import io.outbox.sender.MessageHeaders;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;

/** How events become messages. Thread-safe. */
final class Messages {

    /** What AMQP's protocol binding of CloudEvents has before the names of attributes. */
    static final String CLOUD_EVENT = "cloudEvents:";

    private static final int PERSISTENT = 2;

    private final OutboxRouter router;
    private final MessageHeaders messageHeaders;
    private final List<RabbitMessageCustomizer> customizers;

    Messages(OutboxRouter router, MessageHeaders messageHeaders, List<RabbitMessageCustomizer> customizers) {
        this.router = router;
        this.messageHeaders = messageHeaders;
        this.customizers = List.copyOf(customizers);
    }

    /** Returns the message for an event; what it throws is the failure of this event. */
    RabbitMessage of(EventEnvelope event) {
        return of(event, Objects.requireNonNullElse(router.route(event), OutboxRoute.open()));
    }

    /** Returns the message for an event that goes by another route than its own. */
    RabbitMessage of(EventEnvelope event, OutboxRoute route) {
        if (event.isTombstone()) {
            throw new UnrecoverableException("the event is a tombstone, which RabbitMQ does not have");
        }
        RabbitMessage message = routed(event, route);
        for (RabbitMessageCustomizer customizer : customizers) {
            message = customizer.customize(message, event);
            if (message == null) {
                throw new RecoverableException(customizer + " returned no message for event type " + event.eventType());
            }
        }
        return customizers.isEmpty() ? message : identified(message, event);
    }

    private RabbitMessage routed(EventEnvelope event, OutboxRoute route) {
        if (route.topic() == null) {
            throw new RecoverableException("no exchange is configured for event type " + event.eventType());
        }
        String routingKey = route.routingKey() != null ? route.routingKey() : event.eventType();
        return new RabbitMessage(route.topic(), routingKey, properties(event, route), event.payloadBytes());
    }

    private AMQP.BasicProperties properties(EventEnvelope event, OutboxRoute route) {
        Instant timestamp = route.timestamp() != null ? route.timestamp() : event.occurredAt();
        return new AMQP.BasicProperties.Builder()
                .messageId(event.eventId())
                .type(event.eventType())
                .timestamp(Date.from(timestamp))
                .contentType(event.isBinary() ? "application/octet-stream" : "application/json")
                .contentEncoding(event.isBinary() ? null : "UTF-8")
                .deliveryMode(PERSISTENT)
                .headers(new HashMap<>(messageHeaders.of(event, route)))
                .build();
    }

    /** A message that no queue takes is returned with this id, and with nothing else to know it by. */
    private static RabbitMessage identified(RabbitMessage message, EventEnvelope event) {
        AMQP.BasicProperties properties = message.properties();
        return event.eventId().equals(properties.getMessageId())
                ? message
                : message.withProperties(
                        properties.builder().messageId(event.eventId()).build());
    }
}
