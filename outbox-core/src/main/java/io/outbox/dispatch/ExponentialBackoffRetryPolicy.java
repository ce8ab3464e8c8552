package io.outbox.dispatch;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Doubles the delay with every attempt up to a maximum, and multiplies it by a random factor between 0.5 and 1.5 so
 * that events that failed together do not come back together.
 */
public final class ExponentialBackoffRetryPolicy implements RetryPolicy {

    public static final long DEFAULT_BASE_DELAY_MS = 200;
    public static final long DEFAULT_MAX_DELAY_MS = 60_000;

    private static final int MAX_DOUBLINGS = 62;

    private final long baseDelayMs;
    private final long maxDelayMs;

    public ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs) {
        if (baseDelayMs <= 0) {
            throw new IllegalArgumentException("baseDelayMs must be positive: " + baseDelayMs);
        }
        if (maxDelayMs < baseDelayMs) {
            throw new IllegalArgumentException(
                    "maxDelayMs must not be less than baseDelayMs " + baseDelayMs + ": " + maxDelayMs);
        }
        this.baseDelayMs = baseDelayMs;
        this.maxDelayMs = maxDelayMs;
    }

    @Override
    public long computeDelayMs(int attempts) {
        int doublings = Math.min(Math.max(attempts - 1, 0), MAX_DOUBLINGS);
        long delay = baseDelayMs > maxDelayMs >> doublings ? maxDelayMs : baseDelayMs << doublings;
        return Math.round(delay * ThreadLocalRandom.current().nextDouble(0.5, 1.5));
    }

    @Override
    public String describe() {
        return "about " + Delays.words(baseDelayMs) + ", doubled each time, up to " + Delays.words(maxDelayMs);
    }
}
