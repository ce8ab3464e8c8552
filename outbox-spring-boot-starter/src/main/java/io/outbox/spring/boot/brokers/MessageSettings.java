package io.outbox.spring.boot.brokers;

import com.rabbitmq.client.AMQP;
import io.outbox.DeadLetterHeaders;
import io.outbox.EventEnvelope;
import io.outbox.rabbitmq.RabbitMessage;
import io.outbox.rabbitmq.RabbitMessageCustomizer;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxEventProperties.Message;
import java.util.Map;

/** Gives messages the properties that the settings of their event type have for them. */
final class MessageSettings implements RabbitMessageCustomizer {

    private static final int TRANSIENT = 1;

    private final Map<String, OutboxEventProperties> events;

    MessageSettings(Map<String, OutboxEventProperties> events) {
        this.events = events;
    }

    @Override
    public RabbitMessage customize(RabbitMessage outgoing, EventEnvelope event) {
        OutboxEventProperties settings = events.get(event.eventType());
        return settings == null
                ? outgoing
                : outgoing.withProperties(properties(outgoing.properties(), settings.message()));
    }

    private static AMQP.BasicProperties properties(AMQP.BasicProperties given, Message settings) {
        AMQP.BasicProperties.Builder properties = given.builder();
        boolean isDead = given.getHeaders().containsKey(DeadLetterHeaders.CAUSE.getValue()); // must not be lost
        if (settings.expiration() != null && !isDead) {
            properties.expiration(String.valueOf(settings.expiration().toMillis()));
        }
        if (settings.priority() != null) {
            properties.priority(settings.priority());
        }
        if (settings.type() != null) {
            properties.type(settings.type());
        }
        if (settings.userId() != null) {
            properties.userId(settings.userId());
        }
        if (settings.appId() != null) {
            properties.appId(settings.appId());
        }
        if (settings.replyTo() != null) {
            properties.replyTo(settings.replyTo());
        }
        if (settings.contentType() != null) {
            properties.contentType(settings.contentType());
        }
        if (Boolean.FALSE.equals(settings.persistent()) && !isDead) {
            properties.deliveryMode(TRANSIENT);
        }
        return properties.build();
    }
}
