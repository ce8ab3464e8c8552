package io.outbox.kafka;

import io.outbox.EventEnvelope;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Changes the record that an event has become, as the last one before it is sent. Called on worker threads, each time
 * that the event is sent; an event for which it throws, or returns {@code null}, has failed, alone. Implementations are
 * thread-safe.
 */
@FunctionalInterface
public interface KafkaRecordCustomizer {

    /**
     * Returns the record to send: the one given, perhaps with other headers, or another one.
     *
     * @param outgoing what the event is sent as without this customizer
     * @param event the event, as it was written
     */
    ProducerRecord<byte[], byte[]> customize(ProducerRecord<byte[], byte[]> outgoing, EventEnvelope event);
}
