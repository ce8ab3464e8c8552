package io.outbox.spring.boot.consumer.brokers;

import io.outbox.OutboxHeaders;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.springframework.kafka.support.converter.MessagingMessageConverter;

/** Reads the payloads of events for the methods of listeners; other messages are as they would be without it. */
final class EventRecordConverter extends MessagingMessageConverter {

    private final EventPayloads payloads;

    EventRecordConverter(EventPayloads payloads) {
        this.payloads = payloads;
    }

    @Override
    protected Object extractAndConvertValue(ConsumerRecord<?, ?> message, Type type) {
        String eventType = eventType(message);
        if (eventType == null || message.value() == null || EventPayloads.isAsItCame(type)) {
            return super.extractAndConvertValue(message, type);
        }
        try {
            return payloads.read(eventType, message.value(), type);
        } catch (RuntimeException e) {
            throw new UnreadableRecordException(message, e);
        }
    }

    /** Returns the type of the event that a message brings; {@code null} if it brings none. */
    private static String eventType(ConsumerRecord<?, ?> message) {
        Header header = message.headers().lastHeader(OutboxHeaders.EVENT_TYPE.getValue());
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
