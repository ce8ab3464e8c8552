package io.outbox.rabbitmq;

import com.rabbitmq.client.Delivery;
import io.outbox.spi.HeaderReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads headers of deliveries of RabbitMQ's client, so that idempotent consumers know which event a message brings.
 * They find it by themselves. Thread-safe.
 */
public final class DeliveryHeaderReader implements HeaderReader<Delivery> {

    @Override
    public Class<Delivery> messageType() {
        return Delivery.class;
    }

    @Override
    public @Nullable Object header(Delivery message, String name) {
        return BasicPropertiesHeaderReader.header(message.getProperties().getHeaders(), name);
    }
}
