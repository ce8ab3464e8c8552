package io.outbox.dispatch;

/** Waits one step longer with every attempt, up to a maximum. */
record LinearBackoff(long stepMs, long maxMs) implements RetryPolicy {

    LinearBackoff {
        if (maxMs < stepMs) {
            throw new IllegalArgumentException("max must not be less than step " + stepMs + " ms: " + maxMs + " ms");
        }
    }

    @Override
    public long computeDelayMs(int attempts) {
        long steps = Math.max(1, attempts);
        return steps > maxMs / stepMs ? maxMs : steps * stepMs;
    }

    @Override
    public String describe() {
        return Delays.words(stepMs) + " more each time, up to " + Delays.words(maxMs);
    }
}
