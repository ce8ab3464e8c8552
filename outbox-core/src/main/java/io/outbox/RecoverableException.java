package io.outbox;

import org.jspecify.annotations.Nullable;

/** A failure that may pass: the event is retried until its attempts are used up. */
public class RecoverableException extends EventException {

    private static final long serialVersionUID = 1L;

    public RecoverableException(@Nullable String message) {
        super(message);
    }

    public RecoverableException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
