package io.outbox.internal.delivery;

import java.util.concurrent.TimeUnit;

/** Spaces events evenly so that no more than a given number pass per second. */
final class RateLimiter {

    private static final long LONG_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final long nanosPerEvent;
    private long nextFreeAt = System.nanoTime();

    RateLimiter(int maxPerSecond) {
        this.nanosPerEvent = TimeUnit.SECONDS.toNanos(1) / maxPerSecond;
    }

    /** Waits until the given number of events may pass. */
    void acquire(int events) throws InterruptedException {
        acquire(events, () -> {});
    }

    /** Waits until the given number of events may pass; if that takes a while, does something else first. */
    void acquire(int events, Runnable meanwhile) throws InterruptedException {
        long passesAt = reserve(events);
        if (passesAt - System.nanoTime() > LONG_WAIT_NANOS) {
            meanwhile.run();
        }
        TimeUnit.NANOSECONDS.sleep(passesAt - System.nanoTime());
    }

    private synchronized long reserve(int events) {
        long now = System.nanoTime();
        long start = nextFreeAt - now > 0 ? nextFreeAt : now;
        nextFreeAt = start + events * nanosPerEvent;
        return start;
    }
}
