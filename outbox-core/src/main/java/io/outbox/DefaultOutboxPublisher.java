package io.outbox;

import io.outbox.spi.JsonCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The {@link OutboxPublisher} on top of an {@link OutboxWriter} and a {@link JsonCodec}. */
public final class DefaultOutboxPublisher implements OutboxPublisher {

    private final OutboxWriter writer;
    private final JsonCodec codec;

    /** Creates a publisher that uses the codec given, or the {@linkplain JsonCodec#getDefault() default} if null. */
    public DefaultOutboxPublisher(OutboxWriter writer, JsonCodec codec) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.codec = codec;
    }

    public DefaultOutboxPublisher(OutboxWriter writer) {
        this(writer, null);
    }

    @Override
    public <T> void publish(String eventType, T event) {
        event(eventType).publish(event);
    }

    @Override
    public <T> void publish(String eventType, List<T> events) {
        List<EventEnvelope> envelopes = new ArrayList<>();
        for (T event : Objects.requireNonNull(events, "events")) {
            envelopes.add(EventEnvelope.ofJson(eventType, toJson(event)));
        }
        writer.writeAll(envelopes);
    }

    @Override
    public Draft event(String eventType) {
        return new EnvelopeDraft(EventEnvelope.builder(eventType));
    }

    private String toJson(Object payload) {
        Objects.requireNonNull(payload, "payload");
        return (codec != null ? codec : JsonCodec.getDefault()).toJson(payload);
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
            return writer.write(envelope.payloadJson(toJson(payload)).build());
        }
    }
}
