package io.outbox.jdbc;

import io.outbox.spi.OutboxBackendException;

/** A statement of the outbox failed; the cause is the driver's exception. */
public class OutboxStoreException extends OutboxBackendException {

    private static final long serialVersionUID = 1L;

    public OutboxStoreException(String message) {
        super(message);
    }

    public OutboxStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
