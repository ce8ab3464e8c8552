package io.outbox.internal.polling;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When it is worth its price to look far back in an index again. Usually that costs next to nothing, and it is worth it
 * each time. The longer such a look takes, the rarer it is: it gets a twentieth of the time, but is made after the
 * longest pause at least. A look that was slow by chance does not count, so the price is that of the cheaper one of the
 * last two. Used by one thread at a time.
 */
final class LookTimer {

    private static final int SHARE = 20;
    private final LongSupplier nanoTime;
    private final long longestNanos;
    private final long dearNanos;
    private long lastPrice;
    private long price;
    private long dueAtNanos;

    /** @param dear from when on a look takes noticeable time */
    LookTimer(LongSupplier nanoTime, Duration longestPause, Duration dear) {
        this.nanoTime = nanoTime;
        this.dearNanos = dear.toNanos();
        this.longestNanos = longestPause.toNanos();
        this.dueAtNanos = nanoTime.getAsLong();
    }

    /** Returns whether to look now. */
    boolean isDue() {
        return nanosUntilDue() <= 0;
    }

    /** Returns how long it takes until a look is due, not above 0 if it is. */
    long nanosUntilDue() {
        return dueAtNanos - nanoTime.getAsLong();
    }

    /** Returns whether such looks take noticeable time. */
    boolean isDear() {
        return price > dearNanos;
    }

    /** Notes a look that began at that time. */
    void looked(long beganAtNanos) {
        long now = nanoTime.getAsLong();
        price = Math.min(now - beganAtNanos, lastPrice);
        lastPrice = now - beganAtNanos;
        dueAtNanos = now + Math.min(longestNanos, SHARE * price);
    }

    /** Has no look be due for the longest pause. */
    void putOff() {
        dueAtNanos = nanoTime.getAsLong() + longestNanos;
    }
}
