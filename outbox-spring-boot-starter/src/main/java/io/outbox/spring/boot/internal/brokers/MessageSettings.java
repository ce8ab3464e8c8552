package io.outbox.spring.boot.internal.brokers;

import com.rabbitmq.client.AMQP;
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
                : outgoing.withProperties(properties(outgoing.properties(), settings.getMessage()));
    }

    private static AMQP.BasicProperties properties(AMQP.BasicProperties given, Message settings) {
        AMQP.BasicProperties.Builder properties = given.builder();
        if (settings.getExpiration() != null) {
            properties.expiration(String.valueOf(settings.getExpiration().toMillis()));
        }
        if (settings.getPriority() != null) {
            properties.priority(settings.getPriority());
        }
        if (settings.getType() != null) {
            properties.type(settings.getType());
        }
        if (settings.getUserId() != null) {
            properties.userId(settings.getUserId());
        }
        if (settings.getAppId() != null) {
            properties.appId(settings.getAppId());
        }
        if (settings.getReplyTo() != null) {
            properties.replyTo(settings.getReplyTo());
        }
        if (settings.getContentType() != null) {
            properties.contentType(settings.getContentType());
        }
        if (Boolean.FALSE.equals(settings.getPersistent())) {
            properties.deliveryMode(TRANSIENT);
        }
        return properties.build();
    }
}
