package io.outbox.testing.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

/** Random times far from the present, of which no two among any thousand in a row are the same. */
final class UniqueTimes {

    private static final int MICROS_OF_A_MILLI = 1_000;

    private final Instant present;
    private final Random random;
    private int count;

    UniqueTimes(Instant present, Random random) {
        this.present = present;
        this.random = random;
    }

    /** Returns a time about a day ago. */
    Instant past() {
        return unique(present.minus(Duration.ofDays(1)).plusMillis(random.nextInt(1_000_000) * 10L));
    }

    /** Returns a time in about a day. */
    Instant future() {
        return unique(present.plus(Duration.ofDays(1)).plusMillis(random.nextInt(1_000_000)));
    }

    /** The microseconds count on, so that equal milliseconds make no equal times. */
    private Instant unique(Instant time) {
        count = (count + 1) % MICROS_OF_A_MILLI;
        return time.plusNanos(count * 1_000L);
    }
}
