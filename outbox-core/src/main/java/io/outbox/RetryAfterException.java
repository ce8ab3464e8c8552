package io.outbox;

import io.outbox.spi.Limits;
import java.time.Duration;

/**
 * A passing failure for which the listener knows when to try again. It counts as a failed attempt; to wait without
 * counting, return {@link DispatchResult#retryAfter(Duration)} instead.
 */
public class RetryAfterException extends RecoverableException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    public RetryAfterException(Duration retryAfter) {
        this(retryAfter, "retry after " + retryAfter);
    }

    public RetryAfterException(Duration retryAfter, String message) {
        super(message);
        this.retryAfter = requireNotNegative(retryAfter);
    }

    public RetryAfterException(Duration retryAfter, Throwable cause) {
        this(retryAfter, "retry after " + retryAfter, cause);
    }

    public RetryAfterException(Duration retryAfter, String message, Throwable cause) {
        super(message, cause);
        this.retryAfter = requireNotNegative(retryAfter);
    }

    /** Returns how long to wait before the next attempt. */
    public Duration retryAfter() {
        return retryAfter;
    }

    private static Duration requireNotNegative(Duration retryAfter) {
        return Limits.notNegative(retryAfter, "retryAfter");
    }
}
