package io.outbox.spi;

import org.jspecify.annotations.Nullable;

/** A storage engine could not be reached or refused an operation. */
public class OutboxBackendException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public OutboxBackendException(String message) {
        super(message);
    }

    public OutboxBackendException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns whether the store answered and refused the values themselves, as too long, not encodable or against a
     * constraint. Everything that may pass by itself is no refusal: lost connections, timeouts, deadlocks.
     */
    public boolean isRefusal() {
        return false;
    }

    /**
     * Returns whether it is certain that the call has changed nothing, because the store answered that it failed or was
     * never asked. If an answer is missing, nobody knows. Default: only a refusal is certain.
     */
    public boolean isWithoutEffect() {
        return isRefusal();
    }
}
