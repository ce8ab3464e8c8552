package io.outbox.dispatch;

/** How long to wait before the next attempt. Thread-safe. */
@FunctionalInterface
public interface RetryPolicy {

    /**
     * Returns the delay before the next attempt.
     *
     * @param attempts failed attempts so far, including the one just made; at least 1
     */
    long computeDelayMs(int attempts);
}
