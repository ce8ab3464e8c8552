package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRouter;
import io.outbox.kafka.StoredHeaders;
import io.outbox.spi.PayloadSerializer;
import java.time.Duration;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serializer;

/** Makes payloads by a serializer of Kafka, for the topic that the event will be sent to. */
final class KafkaPayloads implements PayloadSerializer, AutoCloseable {

    /** A serializer may ask a schema registry, while the transaction of the application waits and holds its locks. */
    private static final Duration MOST_TIME = Duration.ofSeconds(10);

    private final Serializer<Object> serializer;
    private final boolean isOurs;
    private final OutboxRouter router;
    private final TimeLimit limit = new TimeLimit(MOST_TIME);

    /** @param isOurs whether the serializer ends with this */
    KafkaPayloads(Serializer<Object> serializer, boolean isOurs, OutboxRouter router) {
        this.serializer = serializer;
        this.isOurs = isOurs;
        this.router = router;
    }

    @Override
    public EventEnvelope serialize(EventEnvelope event, Object payload) {
        Headers headers = new RecordHeaders();
        String topic = router.route(event).topic();
        byte[] bytes = limit.call(
                serializer.getClass().getName() + " for event type '" + event.eventType() + "'",
                () -> serializer.serialize(topic, headers, payload));
        if (bytes == null) {
            throw new IllegalStateException(serializer.getClass().getName()
                    + " returned null for the payload of event type '" + event.eventType() + "'");
        }
        EventEnvelope.Builder serialized = event.toBuilder().payloadBytes(bytes);
        headers.forEach(header -> StoredHeaders.store(header, serialized));
        return serialized.build();
    }

    @Override
    public void close() {
        limit.close();
        if (isOurs) {
            serializer.close();
        }
    }
}
