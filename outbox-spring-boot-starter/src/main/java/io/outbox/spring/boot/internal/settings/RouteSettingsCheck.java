package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.Rules.require;

import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxEventProperties.Message;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.util.LinkedHashMap;
import java.util.Map;

/** The rules for what an event type says about its sender, its route and its messages. */
final class RouteSettingsCheck {

    private static final int HIGHEST_PRIORITY = 255;

    private RouteSettingsCheck() {}

    static void check(String type, OutboxEventProperties event, OutboxPublisherProperties properties) {
        Sender sender = new EventSenders(properties).of(event);
        require(
                sender != null,
                PublisherKeys.ofEvent(type, "sender"),
                event.getSender(),
                "is the name of no sender: " + PublisherKeys.of("senders") + " has "
                        + properties.getSenders().keySet());
        SenderType broker = sender.getType();
        if (broker == SenderType.KAFKA) {
            refuse(type, messageSettings(event.getMessage()), "has an effect in RabbitMQ only, but this goes to Kafka");
            refuse(
                    type,
                    settings("routing-key", event.getRoutingKey()),
                    "is RabbitMQ's, but this goes to Kafka: set key");
        } else if (broker == SenderType.RABBIT_MQ) {
            String reason = "is Kafka's, but this goes to RabbitMQ: set routing-key";
            refuse(type, settings("key", event.getKey()), reason);
            refuse(type, settings("partition", event.getPartition()), reason);
            refuse(type, settings("serializer", event.getSerializer()), "is Kafka's, but this goes to RabbitMQ");
        }
        require(
                event.getSerializer() != null || event.getSerializerProperties().isEmpty(),
                PublisherKeys.ofEvent(type, "serializer"),
                null,
                "must be set, or " + PublisherKeys.ofEvent(type, "serializer-properties") + " have no effect");
        checkMessage(type, event.getMessage());
    }

    private static Map<String, Object> settings(String name, Object value) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put(name, value);
        return settings;
    }

    private static Map<String, Object> messageSettings(Message message) {
        Map<String, Object> settings = settings("message.expiration", message.getExpiration());
        settings.put("message.priority", message.getPriority());
        settings.put("message.persistent", message.getPersistent());
        settings.putAll(messageTexts(message));
        return settings;
    }

    private static Map<String, Object> messageTexts(Message message) {
        Map<String, Object> texts = settings("message.type", message.getType());
        texts.put("message.user-id", message.getUserId());
        texts.put("message.app-id", message.getAppId());
        texts.put("message.reply-to", message.getReplyTo());
        texts.put("message.content-type", message.getContentType());
        return texts;
    }

    private static void refuse(String type, Map<String, Object> settings, String reason) {
        settings.forEach((name, value) -> require(value == null, PublisherKeys.ofEvent(type, name), value, reason));
    }

    private static void checkMessage(String type, Message message) {
        if (message.getExpiration() != null) {
            Rules.notNegative(PublisherKeys.ofEvent(type, "message.expiration"), message.getExpiration());
        }
        Integer priority = message.getPriority();
        require(
                priority == null || (priority >= 0 && priority <= HIGHEST_PRIORITY),
                PublisherKeys.ofEvent(type, "message.priority"),
                priority,
                "must be between 0 and " + HIGHEST_PRIORITY);
        messageTexts(message)
                .forEach((name, text) -> require(
                        text == null || !text.toString().isBlank(),
                        PublisherKeys.ofEvent(type, name),
                        text,
                        "must not be blank"));
    }
}
