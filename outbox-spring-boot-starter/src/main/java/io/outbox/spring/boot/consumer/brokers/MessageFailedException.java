package io.outbox.spring.boot.consumer.brokers;

/**
 * A message has failed, in whatever way; the cause says how. Spring's containers drop a message, or stop, for some
 * exceptions of listeners, but not for this one.
 */
final class MessageFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MessageFailedException(RuntimeException cause) {
        super("A message of an idempotent listener has failed: " + cause.getMessage(), cause);
    }
}
