package io.outbox;

import org.jspecify.annotations.Nullable;

/** A failure that no retry can fix: the event goes DEAD immediately, and no attempt is counted. */
public class UnrecoverableException extends EventException {

    private static final long serialVersionUID = 1L;

    public UnrecoverableException(@Nullable String message) {
        super(message);
    }

    public UnrecoverableException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
