package io.outbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The target that an event names cannot be used: a topic or exchange that does not exist, or that may not be written
 * to. The event is retried as after any other {@link RecoverableException}. Events of the same type with another target
 * are not concerned; the status shows the type with this reason while events wait for the target.
 */
public class InvalidTargetException extends RecoverableException {

    private static final long serialVersionUID = 1L;

    private final String target;

    /**
     * @param target what the event names, such as {@code topic orders}
     * @param message why it cannot be used and what to do about it; it is shown to operators, so no part of the event
     */
    public InvalidTargetException(String target, String message) {
        this(target, message, null);
    }

    public InvalidTargetException(String target, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.target = Objects.requireNonNull(target, "target");
    }

    /** Returns what the event names, such as {@code topic orders}. */
    public String target() {
        return target;
    }
}
