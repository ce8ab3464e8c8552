package io.outbox;

import org.jspecify.annotations.Nullable;

/** A payload or header map that cannot be decoded; a retry cannot fix it. The message never holds the payload. */
public class PayloadParseException extends UnrecoverableException {

    private static final long serialVersionUID = 1L;

    public PayloadParseException(String message) {
        super(message);
    }

    public PayloadParseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
