package io.outbox.internal.polling;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When it is worth its price to look at the very front of an index again. Usually that costs next to nothing, and it is worth
 * it each time. The longer such a look takes, the rarer it is: it gets a twentieth of the time, and is made once a minute at
 * least. A look that was slow by chance does not count, so the price is that of the cheaper one of the last two. Used by one
 * thread at a time.
 */
final class FrontTimer {

    private static final int SHARE = 20;
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    private static final long DEAR_NANOS = Duration.ofMillis(20).toNanos();

    private final LongSupplier nanoTime;
    private long lastPrice;
    private long price;
    private long dueAtNanos;

    FrontTimer(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.dueAtNanos = nanoTime.getAsLong();
    }

    /** Returns whether to look at the front now. */
    boolean isDue() {
        return dueAtNanos - nanoTime.getAsLong() <= 0;
    }

    /** Returns whether looks at the front take noticeable time. */
    boolean isDear() {
        return price > DEAR_NANOS;
    }

    /** Notes that the front was looked at, beginning at that time. */
    void looked(long beganAtNanos) {
        long now = nanoTime.getAsLong();
        price = Math.min(now - beganAtNanos, lastPrice);
        lastPrice = now - beganAtNanos;
        dueAtNanos = now + Math.min(LONGEST_NANOS, SHARE * price);
    }
}
