package io.outbox.spring.boot.consumer.brokers;

import java.util.List;
import java.util.Optional;
import org.springframework.amqp.core.Message;

/**
 * A message cannot be given to its listener, because of the settings or its payload; the cause says why. Not a {@code
 * MessageConversionException} of Spring's, for which containers drop the message.
 */
final class UnreadableMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Message message;

    UnreadableMessageException(String reason, Message message, RuntimeException cause) {
        super(reason, cause);
        this.message = message;
    }

    /** Returns the one of these messages that a failure is about, if it says so. */
    static Optional<Message> culprit(RuntimeException failure, List<Message> messages) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnreadableMessageException unreadable) {
                return messages.stream()
                        .filter(message -> message == unreadable.message)
                        .findFirst();
            }
        }
        return Optional.empty();
    }
}
