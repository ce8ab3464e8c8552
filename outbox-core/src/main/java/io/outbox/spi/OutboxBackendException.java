package io.outbox.spi;

/** A storage engine could not be reached or refused an operation. */
public class OutboxBackendException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public OutboxBackendException(String message) {
        super(message);
    }

    public OutboxBackendException(String message, Throwable cause) {
        super(message, cause);
    }
}
