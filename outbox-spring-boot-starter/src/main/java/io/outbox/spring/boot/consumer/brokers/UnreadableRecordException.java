package io.outbox.spring.boot.consumer.brokers;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The payload of an event cannot be given to a listener; the cause says why. Not a {@code ConversionException} of
 * Spring's: for that, a batch listener would be called with {@code null} in its place, and the event would count as
 * consumed.
 */
final class UnreadableRecordException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ConsumerRecord<?, ?> message;

    UnreadableRecordException(ConsumerRecord<?, ?> message, RuntimeException cause) {
        super(
                "The message at offset " + message.offset() + " of " + message.topic() + "-" + message.partition()
                        + " cannot be given to its listener: " + cause.getMessage(),
                cause);
        this.message = message;
    }

    /** Returns the message that it is about, and none of its neighbours. */
    ConsumerRecord<?, ?> message() {
        return message;
    }
}
