package io.outbox;

import io.outbox.spi.JsonCodec;
import io.outbox.spi.PayloadSerializer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The {@link OutboxPublisher} on top of an {@link OutboxWriter} and a {@link JsonCodec}. */
public final class DefaultOutboxPublisher implements OutboxPublisher {

    private final OutboxWriter writer;
    private final @Nullable JsonCodec codec;
    private final Supplier<String> eventIds;
    private final Function<String, @Nullable PayloadSerializer> serializers;
    private final Typing typing;

    /** How classes and objects become events. */
    private record Typing(
            Function<Class<?>, String> types,
            BiFunction<OutboxPublisher, Object, Draft> drafts,
            ToIntFunction<Class<?>> versions) {

        static final Typing BY_SIMPLE_NAME =
                new Typing(EventType::nameOf, (publisher, object) -> publisher.event(object.getClass()), payload -> 0);
    }

    /**
     * Creates a publisher that uses the codec given, or the {@linkplain JsonCodec#getDefault() default} if null.
     *
     * @param eventIds makes the id of each event: at most 36 characters, different every time; called on the publishing
     *     thread, by any number of them
     */
    public DefaultOutboxPublisher(OutboxWriter writer, @Nullable JsonCodec codec, Supplier<String> eventIds) {
        this(writer, codec, eventIds, eventType -> null, Typing.BY_SIMPLE_NAME);
    }

    private DefaultOutboxPublisher(
            OutboxWriter writer,
            @Nullable JsonCodec codec,
            Supplier<String> eventIds,
            Function<String, @Nullable PayloadSerializer> serializers,
            Typing typing) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.codec = codec;
        this.eventIds = Objects.requireNonNull(eventIds, "eventIds");
        this.serializers = Objects.requireNonNull(serializers, "serializers");
        this.typing = typing;
    }

    /** Creates a publisher whose event ids are UUIDs of version 7. */
    public DefaultOutboxPublisher(OutboxWriter writer, @Nullable JsonCodec codec) {
        this(writer, codec, UuidV7::next);
    }

    /** Creates a publisher that uses the default codec and whose event ids are UUIDs of version 7. */
    public DefaultOutboxPublisher(OutboxWriter writer) {
        this(writer, null);
    }

    /**
     * Returns a publisher like this one that makes the payloads of some event types by serializers.
     *
     * @param serializers gives the serializer of an event type, or {@code null} for the codec
     */
    public DefaultOutboxPublisher serializing(Function<String, @Nullable PayloadSerializer> serializers) {
        return new DefaultOutboxPublisher(writer, codec, eventIds, serializers, typing);
    }

    /**
     * Returns a publisher like this one that names event types otherwise than by the simple names of classes.
     *
     * @param types gives the event type of a payload class, or throws {@link IllegalArgumentException} if it has none
     */
    public DefaultOutboxPublisher typing(Function<Class<?>, String> types) {
        return typing(types, Typing.BY_SIMPLE_NAME.drafts);
    }

    /**
     * Returns a publisher like this one that names event types otherwise than by the simple names of classes.
     *
     * @param types gives the event type of a payload class, or throws {@link IllegalArgumentException} if it has none
     * @param drafts begins the event of an object that is published by itself, with all but its payload, by a call of
     * {@code
     *     event(…)} of the publisher given
     */
    public DefaultOutboxPublisher typing(
            Function<Class<?>, String> types, BiFunction<OutboxPublisher, Object, Draft> drafts) {
        return new DefaultOutboxPublisher(
                writer,
                codec,
                eventIds,
                serializers,
                new Typing(
                        Objects.requireNonNull(types, "types"),
                        Objects.requireNonNull(drafts, "drafts"),
                        typing.versions));
    }

    /**
     * Returns a publisher like this one whose payloads have the versions of their classes.
     *
     * @param versions gives the version of a payload class, or 0 for that of the event type
     */
    public DefaultOutboxPublisher versioning(ToIntFunction<Class<?>> versions) {
        return new DefaultOutboxPublisher(
                writer,
                codec,
                eventIds,
                serializers,
                new Typing(typing.types, typing.drafts, Objects.requireNonNull(versions, "versions")));
    }

    @Override
    public <T> void publish(String eventType, T event) {
        if (event instanceof Collection<?> events) {
            publishEach(eventType, events);
        } else if (event instanceof Object[] events) {
            publishEach(eventType, Arrays.asList(events));
        } else {
            event(eventType).publish(event);
        }
    }

    @Override
    public <T> void publish(String eventType, List<T> events) {
        publishEach(eventType, Objects.requireNonNull(events, "events"));
    }

    private void publishEach(String eventType, Collection<?> events) {
        List<EventEnvelope> envelopes = new ArrayList<>(events.size());
        for (Object event : events) {
            envelopes.add(envelope(eventType, EventEnvelope.builder(eventType), event));
        }
        writer.writeAll(envelopes);
    }

    @Override
    public void publish(Object event) {
        Objects.requireNonNull(event, "event");
        if (event instanceof Collection<?> events) {
            writer.writeAll(events.stream().map(this::envelope).toList());
        } else if (event instanceof Object[] events) {
            publish(Arrays.asList(events));
        } else {
            typing.drafts.apply(this, event).publish(event);
        }
    }

    private EventEnvelope envelope(Object event) {
        Objects.requireNonNull(event, "event");
        return ((EnvelopeDraft) typing.drafts.apply(this, event)).envelope(event);
    }

    @Override
    public Draft event(Class<?> payload) {
        return event(typing.types.apply(Objects.requireNonNull(payload, "payload")));
    }

    @Override
    public Draft event(String eventType) {
        return new EnvelopeDraft(eventType, EventEnvelope.builder(eventType));
    }

    private EventEnvelope envelope(String eventType, EventEnvelope.Builder envelope, Object payload) {
        Objects.requireNonNull(payload, "payload");
        envelope.eventId(eventIds.get());
        int version = typing.versions.applyAsInt(payload.getClass());
        if (version > 0) {
            envelope.version(version);
        }
        if (payload instanceof byte[] bytes) {
            return envelope.payloadBytes(bytes).build();
        }
        PayloadSerializer serializer = serializers.apply(eventType);
        if (serializer != null) {
            return serializer.serialize(envelope.tombstone().build(), payload);
        }
        if (payload instanceof String text) {
            envelope.payloadJson(text);
        } else {
            envelope.payloadJson((codec != null ? codec : JsonCodec.getDefault()).toJson(payload));
        }
        return envelope.build();
    }

    private final class EnvelopeDraft implements Draft {

        private final String eventType;
        private final EventEnvelope.Builder envelope;
        private @Nullable String aggregateId;
        private @Nullable String key;

        private EnvelopeDraft(String eventType, EventEnvelope.Builder envelope) {
            this.eventType = eventType;
            this.envelope = envelope;
        }

        @Override
        public Draft aggregate(String aggregateType, @Nullable String aggregateId) {
            envelope.aggregateType(aggregateType).aggregateId(aggregateId);
            this.aggregateId = aggregateId;
            return this;
        }

        @Override
        public Draft key(@Nullable String key) {
            envelope.key(key);
            this.key = key;
            return this;
        }

        @Override
        public Draft tenant(@Nullable String tenantId) {
            envelope.tenantId(tenantId);
            return this;
        }

        @Override
        public Draft header(String name, @Nullable String value) {
            envelope.header(name, value);
            return this;
        }

        @Override
        public Draft delay(Duration delay) {
            envelope.deliverAfter(delay);
            return this;
        }

        @Override
        public @Nullable String publish(Object payload) {
            return writer.write(envelope(payload));
        }

        private EventEnvelope envelope(Object payload) {
            return DefaultOutboxPublisher.this.envelope(eventType, identified(), payload);
        }

        @Override
        public @Nullable String publishTombstone() {
            return writer.write(identified().eventId(eventIds.get()).tombstone().build());
        }

        private EventEnvelope.Builder identified() {
            return envelope.aggregateId(aggregateId != null ? aggregateId : key);
        }
    }
}
