package io.outbox.spring.boot;

import io.outbox.spring.boot.OutboxPublisherProperties.Policy;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of an event type that is sent to a broker, below {@code outbox.publisher.events.<type>}: where its events go,
 * and where it differs from the defaults.
 *
 * <p>The topic of {@link Policy}, key, partition, routing key, timestamp and headers are texts that may have expressions in
 * <code>#{…}</code> over the event: <code>payload</code> (its JSON as maps and lists), <code>headers</code>,
 * <code>aggregateId</code>, <code>aggregateType</code>, <code>eventId</code>, <code>eventType</code>, <code>key</code>,
 * <code>tenantId</code>, <code>occurredAt</code>. A lone expression that gives null is as if the setting were not made.
 */
public class OutboxEventProperties extends Policy {

    /** Which of outbox.publisher.senders sends the events. By default the one of outbox.publisher.sender. */
    private String sender;

    /** The key of the record in Kafka; empty for none. By default that of the event, usually the aggregate id. */
    private String key;

    /** The partition in Kafka. By default the producer chooses, by the key if there is one. */
    private String partition;

    /** The routing key in RabbitMQ. By default the event type. */
    private String routingKey;

    /** The time of the record or message: an Instant, its text, or milliseconds since 1970. By default in Kafka that of sending, in RabbitMQ that of the event. */
    private String timestamp;

    /** Headers that the record or message has beside those of the event. */
    private Map<String, String> headers = new LinkedHashMap<>();

    /** The serializer of Kafka that makes payloads when events are published: the name of a bean or of a class. By default they are JSON. */
    private String serializer;

    /** Settings for the serializer if it is a class, beside those of the KafkaTemplate. */
    private Map<String, String> serializerProperties = new LinkedHashMap<>();

    private final Message message = new Message();

    public String getSender() {
        return sender;
    }

    public void setSender(String sender) {
        this.sender = sender;
    }

    public String getKey() {
        return key;
    }

    public void setKey(String key) {
        this.key = key;
    }

    public String getPartition() {
        return partition;
    }

    public void setPartition(String partition) {
        this.partition = partition;
    }

    public String getRoutingKey() {
        return routingKey;
    }

    public void setRoutingKey(String routingKey) {
        this.routingKey = routingKey;
    }

    public String getTimestamp() {
        return timestamp;
    }

    public void setTimestamp(String timestamp) {
        this.timestamp = timestamp;
    }

    public Map<String, String> getHeaders() {
        return headers;
    }

    public void setHeaders(Map<String, String> headers) {
        this.headers = headers;
    }

    public String getSerializer() {
        return serializer;
    }

    public void setSerializer(String serializer) {
        this.serializer = serializer;
    }

    public Map<String, String> getSerializerProperties() {
        return serializerProperties;
    }

    public void setSerializerProperties(Map<String, String> serializerProperties) {
        this.serializerProperties = serializerProperties;
    }

    public Message getMessage() {
        return message;
    }

    /** The properties of messages in RabbitMQ. What is not set is as without these settings. */
    public static class Message {

        /** How long a message may wait in a queue before it is dropped or dead-lettered. By default for ever. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration expiration;

        /** The priority of messages in queues that have priorities. */
        @Setting(rule = Rule.UP_TO_255)
        private Integer priority;

        /** The type of messages. By default the event type. */
        @Setting(rule = Rule.NOT_BLANK)
        private String type;

        /** The user who sends; the broker takes only the one who is connected. */
        @Setting(rule = Rule.NOT_BLANK)
        private String userId;

        /** The application that sends. */
        @Setting(rule = Rule.NOT_BLANK)
        private String appId;

        /** Where answers go. */
        @Setting(rule = Rule.NOT_BLANK)
        private String replyTo;

        /** The content type of the body. By default application/json, or application/octet-stream if it is binary. */
        @Setting(rule = Rule.NOT_BLANK)
        private String contentType;

        /** Whether messages survive a restart of the broker, if their queues do. By default they do. */
        private Boolean persistent;

        public Duration getExpiration() {
            return expiration;
        }

        public void setExpiration(Duration expiration) {
            this.expiration = expiration;
        }

        public Integer getPriority() {
            return priority;
        }

        public void setPriority(Integer priority) {
            this.priority = priority;
        }

        public String getType() {
            return type;
        }

        public void setType(String type) {
            this.type = type;
        }

        public String getUserId() {
            return userId;
        }

        public void setUserId(String userId) {
            this.userId = userId;
        }

        public String getAppId() {
            return appId;
        }

        public void setAppId(String appId) {
            this.appId = appId;
        }

        public String getReplyTo() {
            return replyTo;
        }

        public void setReplyTo(String replyTo) {
            this.replyTo = replyTo;
        }

        public String getContentType() {
            return contentType;
        }

        public void setContentType(String contentType) {
            this.contentType = contentType;
        }

        public Boolean getPersistent() {
            return persistent;
        }

        public void setPersistent(Boolean persistent) {
            this.persistent = persistent;
        }
    }
}
