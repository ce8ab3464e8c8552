package io.outbox.spring.boot;

import io.outbox.spring.boot.OutboxPublisherProperties.Backoff;
import io.outbox.spring.boot.OutboxPublisherProperties.Policy;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of an event type that is sent to a broker, below {@code outbox.publisher.events.<type>}: where its
 * events go, and where it differs from the defaults.
 *
 * <p>Topics, key, partition, routing key, timestamp and headers are texts that may have expressions in
 * <code>#{…}</code> over the event: <code>payload</code> (its JSON as maps and lists), <code>headers</code>,
 * <code>aggregateId</code>, <code>aggregateType</code>, <code>eventId</code>, <code>eventType</code>, <code>key</code>,
 * <code>tenantId</code>, <code>occurredAt</code>. A lone expression that gives null is as if the setting were not made.
 *
 * @param sender Which of outbox.publisher.senders sends the events. By default the one of outbox.publisher.sender.
 * @param topic The topic in Kafka, the exchange in RabbitMQ; the empty name is the default exchange.
 * @param key The key of the record in Kafka; empty for none. By default that of the event, usually the aggregate id.
 * @param partition The partition in Kafka. By default the producer chooses, by the key if there is one.
 * @param routingKey The routing key in RabbitMQ. By default the event type.
 * @param timestamp The time of the record or message: an Instant, its text, or milliseconds since 1970. By default in
 *     Kafka that of sending, in RabbitMQ that of the event.
 * @param headers Headers that the record or message has beside those of the event.
 * @param serializer The serializer of Kafka that makes payloads when events are published: the name of a bean or of a
 *     class. By default they are JSON.
 * @param serializerProperties Settings for the serializer if it is a class, beside those of the KafkaTemplate.
 * @param deadLetterTopic The topic or exchange that events are sent to before they go DEAD; the empty name is none.
 * @param batchSize How many events are read and sent at a time.
 * @param initialDelay How long after the start of the application delivery begins.
 * @param fixedDelay The longest pause between two looks for events that were not sent right after their commit; without
 *     backoff, also the pause before a retry.
 * @param maxRetries How often sending is tried again before an event goes DEAD.
 * @param concurrency How many batches are sent at the same time.
 * @param rateLimit The largest number of events per second.
 */
public record OutboxEventProperties(
        String sender,
        String topic,
        String key,
        String partition,
        String routingKey,
        String timestamp,
        @DefaultValue Map<String, String> headers,
        String serializer,
        @DefaultValue Map<String, String> serializerProperties,
        @DefaultValue Message message,
        String deadLetterTopic,
        @Setting(rule = Rule.BATCH) Integer batchSize,
        @Setting(rule = Rule.NOT_NEGATIVE) Duration initialDelay,
        @Setting(rule = Rule.POSITIVE) Duration fixedDelay,
        @Setting(rule = Rule.AT_LEAST_0) Integer maxRetries,
        @Setting(rule = Rule.AT_LEAST_1) Integer concurrency,
        @Setting(rule = Rule.AT_LEAST_1) Integer rateLimit,
        @NestedConfigurationProperty @DefaultValue Backoff backoff) {

    /** Returns what differs from the defaults. */
    public Policy policy() {
        return new Policy(
                topic,
                deadLetterTopic,
                batchSize,
                initialDelay,
                fixedDelay,
                maxRetries,
                concurrency,
                rateLimit,
                backoff);
    }

    /**
     * The properties of messages in RabbitMQ. What is not set is as without these settings.
     *
     * @param expiration How long a message may wait in a queue before it is dropped or dead-lettered. By default for
     *     ever.
     * @param priority The priority of messages in queues that have priorities.
     * @param type The type of messages. By default the event type.
     * @param userId The user who sends; the broker takes only the one who is connected.
     * @param appId The application that sends.
     * @param replyTo Where answers go.
     * @param contentType The content type of the body. By default application/json, or application/octet-stream if it
     *     is binary.
     * @param persistent Whether messages survive a restart of the broker, if their queues do. By default they do.
     */
    public record Message(
            @Setting(rule = Rule.NOT_NEGATIVE) Duration expiration,
            @Setting(rule = Rule.UP_TO_255) Integer priority,
            @Setting(rule = Rule.NOT_BLANK) String type,
            @Setting(rule = Rule.NOT_BLANK) String userId,
            @Setting(rule = Rule.NOT_BLANK) String appId,
            @Setting(rule = Rule.NOT_BLANK) String replyTo,
            @Setting(rule = Rule.NOT_BLANK) String contentType,
            Boolean persistent) {}
}
