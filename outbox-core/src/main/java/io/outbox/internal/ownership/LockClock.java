package io.outbox.internal.ownership;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock by which the age of locks is told: a monotonic one that also counts the time for which the machine stood
 * still.
 *
 * <p>A virtual machine that is paused may stop {@link System#nanoTime()} with it. Its locks would look young although
 * others have taken the events over meanwhile. The wall clock tells: whenever it has gone further than the monotonic
 * one since both were last read, what it says has passed. A wall clock that is set back changes nothing, and one that
 * is set forward has locks renewed early. Thread-safe.
 */
public final class LockClock {

    /** What two clocks that both go may differ by between two readings. */
    private static final long TOLERANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier monotonicNanos;
    private final LongSupplier wallMillis;
    private long lastNanos;
    private long lastMillis;
    private long stoodStillNanos;

    public LockClock() {
        this(System::nanoTime, System::currentTimeMillis);
    }

    LockClock(LongSupplier monotonicNanos, LongSupplier wallMillis) {
        this.monotonicNanos = monotonicNanos;
        this.wallMillis = wallMillis;
        this.lastNanos = monotonicNanos.getAsLong();
        this.lastMillis = wallMillis.getAsLong();
    }

    /** Returns a time in nanoseconds that means something only beside others of this clock. */
    public synchronized long now() {
        long nanos = monotonicNanos.getAsLong();
        long millis = wallMillis.getAsLong();
        long ahead = TimeUnit.MILLISECONDS.toNanos(millis - lastMillis) - (nanos - lastNanos);
        if (ahead > TOLERANCE_NANOS) {
            stoodStillNanos += ahead;
        }
        lastNanos = nanos;
        lastMillis = millis;
        return nanos + stoodStillNanos;
    }
}
