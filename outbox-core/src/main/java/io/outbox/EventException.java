package io.outbox;

import org.jspecify.annotations.Nullable;

/** Root of the exceptions with which a listener decides how a failed event is treated. */
public class EventException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public EventException(@Nullable String message) {
        super(message);
    }

    public EventException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
