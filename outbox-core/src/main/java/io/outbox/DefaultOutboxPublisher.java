package io.outbox;

import io.outbox.spi.JsonCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** The {@link OutboxPublisher} on top of an {@link OutboxWriter} and a {@link JsonCodec}. */
public final class DefaultOutboxPublisher implements OutboxPublisher {

    private final OutboxWriter writer;
    private final JsonCodec codec;
    private final Supplier<String> eventIds;

    /**
     * Creates a publisher that uses the codec given, or the {@linkplain JsonCodec#getDefault() default} if null.
     *
     * @param eventIds makes the id of each event: at most 36 characters, different every time; called on the publishing
     *     thread, by any number of them
     */
    public DefaultOutboxPublisher(OutboxWriter writer, JsonCodec codec, Supplier<String> eventIds) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.codec = codec;
        this.eventIds = Objects.requireNonNull(eventIds, "eventIds");
    }

    /** Creates a publisher whose event ids are UUIDs of version 7. */
    public DefaultOutboxPublisher(OutboxWriter writer, JsonCodec codec) {
        this(writer, codec, UuidV7::next);
    }

    /** Creates a publisher that uses the default codec and whose event ids are UUIDs of version 7. */
    public DefaultOutboxPublisher(OutboxWriter writer) {
        this(writer, null);
    }

    @Override
    public <T> void publish(String eventType, T event) {
        if (event instanceof Collection<?> events) {
            publishEach(eventType, events);
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
            envelopes.add(envelope(EventEnvelope.builder(eventType), event));
        }
        writer.writeAll(envelopes);
    }

    @Override
    public Draft event(String eventType) {
        return new EnvelopeDraft(EventEnvelope.builder(eventType));
    }

    private EventEnvelope envelope(EventEnvelope.Builder envelope, Object payload) {
        Objects.requireNonNull(payload, "payload");
        envelope.eventId(eventIds.get());
        if (payload instanceof String text) {
            envelope.payloadJson(text);
        } else if (payload instanceof byte[] bytes) {
            envelope.payloadBytes(bytes);
        } else {
            envelope.payloadJson((codec != null ? codec : JsonCodec.getDefault()).toJson(payload));
        }
        return envelope.build();
    }

    private final class EnvelopeDraft implements Draft {

        private final EventEnvelope.Builder envelope;

        private EnvelopeDraft(EventEnvelope.Builder envelope) {
            this.envelope = envelope;
        }

        @Override
        public Draft aggregate(String aggregateType, String aggregateId) {
            envelope.aggregateType(aggregateType).aggregateId(aggregateId);
            return this;
        }

        @Override
        public Draft key(String aggregateId) {
            envelope.aggregateId(aggregateId);
            return this;
        }

        @Override
        public Draft tenant(String tenantId) {
            envelope.tenantId(tenantId);
            return this;
        }

        @Override
        public Draft header(String name, String value) {
            envelope.header(name, value);
            return this;
        }

        @Override
        public Draft delay(Duration delay) {
            envelope.deliverAfter(delay);
            return this;
        }

        @Override
        public String publish(Object payload) {
            return writer.write(envelope(envelope, payload));
        }
    }
}
