package io.outbox;

import org.jspecify.annotations.Nullable;

/** Root of the exceptions by which a listener tells how a failed event is to be treated. */
public class EventException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public EventException(@Nullable String message) {
        super(message);
    }

    public EventException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
