package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.Rules.require;

import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxEventProperties.Message;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Backoff;
import io.outbox.spring.boot.OutboxPublisherProperties.CloudEvents;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** How the settings of the publisher fit together. What each must fulfil for itself is said at its field. */
final class PublisherCheck {

    private static final String OF_KAFKA = "is Kafka's, but this goes to RabbitMQ";

    private static final List<DeclaredSetting> MESSAGE = Declarations.of(Message.class, "message.");

    private final OutboxPublisherProperties publisher;

    PublisherCheck(OutboxPublisherProperties publisher) {
        this.publisher = publisher;
    }

    void check() {
        publisher
                .getSenders()
                .forEach((name, sender) -> require(
                        sender.getType() != null,
                        EventSenders.key(name) + ".type",
                        null,
                        "must be set: kafka or rabbit_mq"));
        checkTopic(PublisherKeys.of("defaults.topic"), publisher.getDefaults().getTopic());
        publisher.getEvents().forEach((type, settings) -> new Event(type, settings).check());
        checkHeaders();
        CloudEvents cloudEvents = publisher.getCloudEvents();
        require(
                cloudEvents.isEnabled() || cloudEvents.getSource() == null,
                PublisherKeys.of("cloud-events.source"),
                cloudEvents.getSource(),
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
            String name = publisher.getHeaders().getOrDefault(header, header.getValue());
            require(
                    name.isEmpty() || (!name.isBlank() && taken.add(name)),
                    PublisherKeys.of("headers"),
                    publisher.getHeaders(),
                    "must have a name of its own for each header, or the empty one to leave it out");
        }
        publisher
                .getEvents()
                .forEach((type, event) -> event.getHeaders()
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
            Sender sender = new EventSenders(publisher).of(settings);
            require(
                    sender != null,
                    key("sender"),
                    settings.getSender(),
                    "is the name of no sender: " + PublisherKeys.of("senders") + " has "
                            + publisher.getSenders().keySet());
            checkBroker(sender.getType());
            require(
                    settings.getSerializer() != null
                            || settings.getSerializerProperties().isEmpty(),
                    key("serializer"),
                    null,
                    "must be set, or " + key("serializer-properties") + " have no effect");
            checkBackoff(settings.getBackoff());
        }

        private void checkType() {
            try {
                EventEnvelope.ofJson(type, "{}");
            } catch (IllegalArgumentException e) {
                // the constructor with a cause is not public on Spring Boot 3
                throw new InvalidConfigurationPropertyValueException(
                        PublisherKeys.of("events"), type, "is no event type: " + e.getMessage());
            }
        }

        private void checkBroker(SenderType broker) {
            if (broker == SenderType.KAFKA) {
                MESSAGE.forEach(setting -> refuse(
                        setting.key(),
                        setting.value().apply(settings.getMessage()),
                        "has an effect in RabbitMQ only, but this goes to Kafka"));
                refuse("routing-key", settings.getRoutingKey(), "is RabbitMQ's, but this goes to Kafka: set key");
            } else if (broker == SenderType.RABBIT_MQ) {
                refuse("key", settings.getKey(), OF_KAFKA + ": set routing-key");
                refuse("partition", settings.getPartition(), OF_KAFKA + ": set routing-key");
                refuse("serializer", settings.getSerializer(), OF_KAFKA);
            }
            boolean isDefaultExchange = broker == SenderType.RABBIT_MQ && "".equals(settings.getTopic());
            checkTopic(key("topic"), isDefaultExchange ? null : settings.getTopic());
        }

        private void checkBackoff(Backoff backoff) {
            boolean set = backoff.getDelay() != null || backoff.getMultiplier() != null;
            boolean isOn =
                    !Boolean.FALSE.equals(publisher.getDefaults().getBackoff().getEnabled());
            String reason = "makes " + key("backoff.delay") + " and " + key("backoff.multiplier")
                    + " pointless: the pause before a retry is the fixed delay then";
            require(!set || !Boolean.FALSE.equals(backoff.getEnabled()), key("backoff.enabled"), false, reason);
            require(
                    !set || backoff.getEnabled() != null || isOn,
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
