package io.outbox.spring.boot.consumer.brokers;

import io.outbox.OutboxHeaders;
import io.outbox.PayloadParseException;
import java.nio.charset.StandardCharsets;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.amqp.support.converter.SimpleMessageConverter;

/** Reads the payloads of events for the methods of listeners; other messages are as they would be without it. */
final class EventMessageConverter implements MessageConverter {

    private final EventPayloads payloads;
    private final MessageConverter others = new SimpleMessageConverter();

    EventMessageConverter(EventPayloads payloads) {
        this.payloads = payloads;
    }

    @Override
    public Message toMessage(Object object, MessageProperties properties) {
        return others.toMessage(object, properties);
    }

    /** What is not for a bean's listener is received by a template, whose caller expects the payload as it came. */
    @Override
    public Object fromMessage(Message message) {
        MessageProperties properties = message.getMessageProperties();
        if (properties.getTargetBean() == null
                || !(properties.getHeader(OutboxHeaders.EVENT_TYPE.getValue()) instanceof String eventType)
                || (takesNoPayload(properties) && !payloads.isMapped(eventType))) {
            return others.fromMessage(message);
        }
        if (EventPayloads.isAsItCame(properties.getInferredArgumentType())) {
            return properties.getInferredArgumentType() == byte[].class
                    ? message.getBody()
                    : new String(message.getBody(), StandardCharsets.UTF_8);
        }
        try {
            return payloads.read(eventType, message.getBody(), properties.getInferredArgumentType());
        } catch (PayloadParseException e) {
            throw new UnreadableMessageException(
                    "The payload of an event of type " + eventType + " cannot be read", message, e);
        } catch (IllegalArgumentException e) {
            throw new UnreadableMessageException(e.getMessage(), message, e);
        }
    }

    /** A method may take the message and nothing else; then nobody cares for the payload's class. */
    private static boolean takesNoPayload(MessageProperties properties) {
        return properties.getTargetMethod() != null && properties.getInferredArgumentType() == null;
    }
}
