package io.outbox.kafka;

import io.outbox.spi.HeaderReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Reads headers of Kafka's records, so that idempotent consumers know which event a record brings. They find it by
 * themselves. Of several headers with one name the last counts. Thread-safe.
 */
public final class ConsumerRecordHeaderReader implements HeaderReader<ConsumerRecord<?, ?>> {

    @Override
    @SuppressWarnings("unchecked")
    public Class<ConsumerRecord<?, ?>> messageType() {
        return (Class<ConsumerRecord<?, ?>>) (Class<?>) ConsumerRecord.class;
    }

    @Override
    public byte @Nullable [] header(ConsumerRecord<?, ?> message, String name) {
        Header header = message.headers().lastHeader(name);
        return header == null ? null : header.value();
    }
}
