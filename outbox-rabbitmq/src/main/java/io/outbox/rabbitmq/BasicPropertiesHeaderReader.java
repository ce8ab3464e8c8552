package io.outbox.rabbitmq;

import com.rabbitmq.client.BasicProperties;
import com.rabbitmq.client.LongString;
import io.outbox.spi.HeaderReader;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads headers from the properties of a message of RabbitMQ's client, as its consumers get them, so that idempotent
 * consumers know which event a message brings. They find it by themselves. Thread-safe.
 */
public final class BasicPropertiesHeaderReader implements HeaderReader<BasicProperties> {

    @Override
    public Class<BasicProperties> messageType() {
        return BasicProperties.class;
    }

    @Override
    public @Nullable Object header(BasicProperties message, String name) {
        return header(message.getHeaders(), name);
    }

    /** The client has a type of its own for text that came over the wire. */
    static @Nullable Object header(@Nullable Map<String, Object> headers, String name) {
        Object value = headers == null ? null : headers.get(name);
        return value instanceof LongString text ? text.getBytes() : value;
    }
}
