package io.outbox;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where an event goes at a broker, and what its record or message has beside the payload. Each part may be left open,
 * which is {@code null}; then it is what it would be without a route. Immutable and thread-safe.
 */
public final class OutboxRoute {

    private static final OutboxRoute OPEN = new Builder().build();

    private final @Nullable String topic;
    private final @Nullable String key;
    private final @Nullable Integer partition;
    private final @Nullable String routingKey;
    private final @Nullable Instant timestamp;
    private final Map<String, String> headers;

    private OutboxRoute(Builder builder) {
        this.topic = builder.topic;
        this.key = builder.key;
        this.partition = builder.partition;
        this.routingKey = builder.routingKey;
        this.timestamp = builder.timestamp;
        this.headers = builder.headers.isEmpty()
                ? Map.of()
                : Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
    }

    /** Returns the route that leaves everything open. */
    public static OutboxRoute open() {
        return OPEN;
    }

    /** Returns the route to a topic or exchange that leaves the rest open. */
    public static OutboxRoute to(String topic) {
        return builder().topic(topic).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    static OutboxRoute orOpen(@Nullable OutboxRoute route) {
        return route == null ? OPEN : route;
    }

    /** Returns this route with what it leaves open taken from another; of the headers, both have theirs. */
    public OutboxRoute orElse(OutboxRoute other) {
        if (this == OPEN) {
            return other;
        }
        if (other == OPEN) {
            return this;
        }
        return other.toBuilder()
                .topic(first(topic, other.topic))
                .key(first(key, other.key))
                .partition(first(partition, other.partition))
                .routingKey(first(routingKey, other.routingKey))
                .timestamp(first(timestamp, other.timestamp))
                .headers(headers)
                .build();
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one != null ? one : other;
    }

    /** Returns a builder with everything that this route has. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.topic = topic;
        builder.key = key;
        builder.partition = partition;
        builder.routingKey = routingKey;
        builder.timestamp = timestamp;
        builder.headers.putAll(headers);
        return builder;
    }

    /** Returns the topic in Kafka, the exchange in RabbitMQ. */
    public @Nullable String topic() {
        return topic;
    }

    /** Returns the key of the record in Kafka; the empty text stands for none. */
    public @Nullable String key() {
        return key;
    }

    /** Returns the partition in Kafka. */
    public @Nullable Integer partition() {
        return partition;
    }

    /** Returns the routing key in RabbitMQ. */
    public @Nullable String routingKey() {
        return routingKey;
    }

    /** Returns the time of the record or message. */
    public @Nullable Instant timestamp() {
        return timestamp;
    }

    /** Returns the headers that the message has beside those of the event; unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OutboxRoute that
                && Objects.equals(topic, that.topic)
                && Objects.equals(key, that.key)
                && Objects.equals(partition, that.partition)
                && Objects.equals(routingKey, that.routingKey)
                && Objects.equals(timestamp, that.timestamp)
                && headers.equals(that.headers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(topic, key, partition, routingKey, timestamp, headers);
    }

    @Override
    public String toString() {
        return "OutboxRoute[topic=" + topic + ", key=" + key + ", partition=" + partition + ", routingKey=" + routingKey
                + ", timestamp=" + timestamp + "]";
    }

    /** Builds an {@link OutboxRoute}. {@code null} leaves a part open. Not thread-safe. */
    public static final class Builder {

        private @Nullable String topic;
        private @Nullable String key;
        private @Nullable Integer partition;
        private @Nullable String routingKey;
        private @Nullable Instant timestamp;
        private final Map<String, String> headers = new LinkedHashMap<>();

        private Builder() {}

        /** The topic in Kafka, the exchange in RabbitMQ. Default: that of the sender's settings. */
        public Builder topic(@Nullable String topic) {
            this.topic = topic;
            return this;
        }

        /**
         * The key of the record in Kafka; the empty text for none. Default: the {@linkplain EventEnvelope#key()
         * event's}.
         */
        public Builder key(@Nullable String key) {
            this.key = key;
            return this;
        }

        /**
         * The partition in Kafka. Default: the producer chooses, by the key if there is one.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder partition(@Nullable Integer partition) {
            if (partition != null && partition < 0) {
                throw new IllegalArgumentException("partition must not be negative: " + partition);
            }
            this.partition = partition;
            return this;
        }

        /** The routing key in RabbitMQ. Default: the event type. */
        public Builder routingKey(@Nullable String routingKey) {
            this.routingKey = routingKey;
            return this;
        }

        /** The time of the record or message. Default: in Kafka that of sending, in RabbitMQ that of the event. */
        public Builder timestamp(@Nullable Instant timestamp) {
            this.timestamp = timestamp;
            return this;
        }

        /**
         * Adds a header, in place of one of the event that has the same name; {@code null} adds none.
         *
         * @throws IllegalArgumentException if the name is blank, or one of {@link OutboxHeaders}
         */
        public Builder header(String name, @Nullable String value) {
            Check.notBlank(name, "name");
            if (OutboxHeaders.isName(name)) {
                throw new IllegalArgumentException("header " + name + " is the outbox's own");
            }
            if (value != null) {
                headers.put(name, value);
            }
            return this;
        }

        /** Adds each of these headers as {@link #header} does. */
        public Builder headers(Map<String, @Nullable String> headers) {
            headers.forEach(this::header);
            return this;
        }

        public OutboxRoute build() {
            return new OutboxRoute(this);
        }
    }
}
