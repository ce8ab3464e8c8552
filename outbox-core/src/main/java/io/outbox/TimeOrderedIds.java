package io.outbox;

import java.security.SecureRandom;
import java.time.Clock;

/**
 * Source of ids that sort by time of creation: the milliseconds, followed by random bits.
 *
 * <p>Strictly increasing within a JVM, from any number of threads and even if the clock steps back: within a
 * millisecond, or behind the newest one seen, the random bits are counted up instead of drawn anew.
 */
abstract class TimeOrderedIds {

    private final SecureRandom random = new SecureRandom();
    private final Clock clock;
    private final long highMask;
    private final long lowMask;
    private long millis = -1;
    private long high;
    private long low;

    /** Creates a source with this many random bits, in two parts. */
    TimeOrderedIds(Clock clock, int highBits, int lowBits) {
        this.clock = clock;
        this.highMask = -1L >>> (Long.SIZE - highBits);
        this.lowMask = -1L >>> (Long.SIZE - lowBits);
    }

    synchronized String nextId() {
        long now = clock.millis();
        if (now > millis) {
            millis = now;
            high = random.nextLong() & highMask;
            low = random.nextLong() & lowMask;
        } else {
            increment();
        }
        return encode(millis, high, low);
    }

    private void increment() {
        low = (low + 1) & lowMask;
        if (low == 0) {
            high = (high + 1) & highMask;
            if (high == 0) {
                millis++;
            }
        }
    }

    abstract String encode(long millis, long high, long low);
}
