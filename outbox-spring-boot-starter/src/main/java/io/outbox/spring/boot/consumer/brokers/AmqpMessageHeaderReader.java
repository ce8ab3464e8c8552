package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spi.HeaderReader;
import org.springframework.amqp.core.Message;

/** Reads the headers of Spring AMQP's messages. */
final class AmqpMessageHeaderReader implements HeaderReader<Message> {

    @Override
    public Class<Message> messageType() {
        return Message.class;
    }

    @Override
    public Object header(Message message, String name) {
        return message.getMessageProperties().getHeaders().get(name);
    }
}
