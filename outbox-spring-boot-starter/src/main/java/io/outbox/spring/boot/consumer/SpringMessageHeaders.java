package io.outbox.spring.boot.consumer;

import io.outbox.spi.HeaderReader;
import org.springframework.messaging.Message;

/** Reads the headers of Spring's messages. */
final class SpringMessageHeaders implements HeaderReader<Message<?>> {

    @Override
    @SuppressWarnings("unchecked")
    public Class<Message<?>> messageType() {
        return (Class<Message<?>>) (Class<?>) Message.class;
    }

    @Override
    public Object header(Message<?> message, String name) {
        return message.getHeaders().get(name);
    }
}
