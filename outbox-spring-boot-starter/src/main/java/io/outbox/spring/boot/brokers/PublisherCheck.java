package io.outbox.spring.boot.brokers;

import static io.outbox.spring.boot.internal.settings.FeatureSettings.require;

import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Backoff;
import io.outbox.spring.boot.OutboxPublisherProperties.CloudEvents;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** How the settings of the publisher fit together. What each must fulfil for itself is said at its field. */
final class PublisherCheck {

    private static final String OF_KAFKA = "is Kafka's, but this goes to RabbitMQ";

    private final OutboxPublisherProperties publisher;

    PublisherCheck(OutboxPublisherProperties publisher) {
        this.publisher = publisher;
    }

    void check() {
        publisher
                .senders()
                .forEach((name, sender) -> require(
                        sender.type() != null,
                        SenderSettings.key(name) + ".type",
                        null,
                        "must be set: kafka or rabbit_mq"));
        checkTopic(PublisherKeys.of("defaults.topic"), publisher.defaults().topic());
        checkTopic(
                PublisherKeys.of("defaults.dead-letter-topic"),
                publisher.defaults().deadLetterTopic());
        publisher.events().forEach((type, settings) -> new Event(type, settings).check());
        checkHeaders();
        CloudEvents cloudEvents = publisher.cloudEvents();
        require(
                cloudEvents.enabled() || cloudEvents.source() == null,
                PublisherKeys.of("cloud-events.source"),
                cloudEvents.source(),
                "has no effect unless " + PublisherKeys.of("cloud-events.enabled") + " is true");
    }

    private static void checkTopic(String key, String topic) {
        require(
                topic == null || !topic.isBlank(),
                key,
                topic,
                "must not be blank: the topic in Kafka, the exchange in RabbitMQ");
    }

    private void checkHeaders() {
        Set<String> taken = new HashSet<>();
        for (OutboxHeaders header : OutboxHeaders.values()) {
            String name = publisher.headers().getOrDefault(header, header.getValue());
            require(
                    name.isEmpty() || (!name.isBlank() && taken.add(name)),
                    PublisherKeys.of("headers"),
                    publisher.headers(),
                    "must have a separate name for each header, or the empty one to leave it out");
        }
        publisher
                .events()
                .forEach((type, event) -> event.headers()
                        .forEach((name, text) -> require(
                                !taken.contains(name),
                                PublisherKeys.ofHeader(type, name),
                                text,
                                "is the name of a header of the outbox: choose another one, or another in "
                                        + PublisherKeys.of("headers"))));
    }

    /** One event type: its sender, its route and its messages. */
    private final class Event {

        private final String type;
        private final OutboxEventProperties settings;

        Event(String type, OutboxEventProperties settings) {
            this.type = type;
            this.settings = settings;
        }

        void check() {
            checkType();
            Sender sender = new SenderSettings(publisher).of(settings);
            require(
                    sender != null,
                    key("sender"),
                    settings.sender(),
                    "is the name of no sender: " + PublisherKeys.of("senders") + " has "
                            + publisher.senders().keySet());
            checkBroker(sender.type());
            require(
                    settings.serializer() != null
                            || settings.serializerProperties().isEmpty(),
                    key("serializer"),
                    null,
                    "must be set, or " + key("serializer-properties") + " have no effect");
            checkBackoff(settings.backoff());
        }

        private void checkType() {
            try {
                EventEnvelope.ofJson(type, "{}");
            } catch (IllegalArgumentException e) {
                // the constructor with a cause is not public on Spring Boot 3
                throw new InvalidConfigurationPropertyValueException(
                        PublisherKeys.of("events"), type, "is not a valid event type: " + e.getMessage());
            }
        }

        private void checkBroker(SenderType broker) {
            if (broker == SenderType.KAFKA) {
                FeatureSettings.values(settings.message())
                        .forEach((name, value) -> refuse(
                                "message." + name, value, "has an effect in RabbitMQ only, but this goes to Kafka"));
                refuse("routing-key", settings.routingKey(), "is RabbitMQ's, but this goes to Kafka: set key");
            } else if (broker == SenderType.RABBIT_MQ) {
                refuse("key", settings.key(), OF_KAFKA + ": set routing-key");
                refuse("partition", settings.partition(), OF_KAFKA + ": set routing-key");
                refuse("serializer", settings.serializer(), OF_KAFKA);
            }
            boolean isDefaultExchange = broker == SenderType.RABBIT_MQ && "".equals(settings.topic());
            checkTopic(key("topic"), isDefaultExchange ? null : settings.topic());
        }

        private void checkBackoff(Backoff backoff) {
            boolean set = backoff.delay() != null || backoff.multiplier() != null;
            boolean isOn = !Boolean.FALSE.equals(publisher.defaults().backoff().enabled());
            String reason = "makes " + key("backoff.delay") + " and " + key("backoff.multiplier")
                    + " pointless: the pause before a retry is the fixed delay then";
            require(!set || !Boolean.FALSE.equals(backoff.enabled()), key("backoff.enabled"), false, reason);
            require(
                    !set || backoff.enabled() != null || isOn,
                    PublisherKeys.of("defaults.backoff.enabled"),
                    false,
                    reason + "; set " + key("backoff.enabled") + "=true for this event type");
        }

        private void refuse(String setting, Object value, String reason) {
            require(value == null, key(setting), value, reason);
        }

        private String key(String setting) {
            return PublisherKeys.ofEvent(type, setting);
        }
    }
}
