package io.outbox.dispatch;

import io.outbox.spi.Limits;
import java.time.Duration;

/** Multiplies the delay with every attempt, without jitter; with a multiplier of 1 the delay is always the same. */
public final class MultiplyingRetryPolicy implements RetryPolicy {

    private static final double MAX_DELAY_MS = Duration.ofDays(365).toMillis();

    private final long delayMs;
    private final double multiplier;

    public MultiplyingRetryPolicy(Duration delay, double multiplier) {
        Limits.atLeastAMillisecond(delay, "delay");
        if (!(multiplier >= 1) || Double.isInfinite(multiplier)) {
            throw new IllegalArgumentException("multiplier must be a number of at least 1: " + multiplier);
        }
        this.delayMs = delay.toMillis();
        this.multiplier = multiplier;
    }

    @Override
    public long computeDelayMs(int attempts) {
        double delay = delayMs * Math.pow(multiplier, Math.max(1, attempts) - 1);
        return (long) Math.min(delay, MAX_DELAY_MS);
    }

    @Override
    public String describe() {
        return Delays.words(delayMs) + (multiplier == 1 ? " each" : ", times " + multiplier + " each time");
    }
}
