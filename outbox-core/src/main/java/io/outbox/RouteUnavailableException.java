package io.outbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The target of a route cannot be reached at all: a broker or service is down, and the event itself is not at fault.
 * Delivery of the route pauses until the target is back, and no attempt is counted. Meanwhile one event at a time is
 * let through to find out, after half a second each, or after the pause that the exception asks for.
 */
public class RouteUnavailableException extends RecoverableException {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration pause;

    public RouteUnavailableException(String message) {
        super(message);
        this.pause = null;
    }

    public RouteUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.pause = null;
    }

    /**
     * For a target on which every event that is let through leaves a trace, so that they are to be few.
     *
     * @param pause the time until the next event is let through
     * @throws IllegalArgumentException if it is not positive
     */
    public RouteUnavailableException(String message, @Nullable Throwable cause, Duration pause) {
        super(message, cause);
        Objects.requireNonNull(pause, "pause");
        if (pause.isNegative() || pause.isZero()) {
            throw new IllegalArgumentException("pause must be positive: " + pause);
        }
        this.pause = pause;
    }

    /** Returns the time until the next event is let through, or {@code null} for the usual one. */
    public @Nullable Duration pause() {
        return pause;
    }
}
