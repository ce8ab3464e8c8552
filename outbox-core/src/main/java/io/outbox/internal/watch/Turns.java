package io.outbox.internal.watch;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who is at it: calls that had better not overlap take turns, in the order in which they came. None waits for long, so
 * one that is not answered, or waits for another, does not stop both. Thread-safe.
 */
public final class Turns {

    private static final long PATIENCE_MS = 500;

    private final ReentrantLock lock = new ReentrantLock(true);

    /** Begins a turn, or goes ahead if that of another takes too long. */
    public void begin() {
        try {
            lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the turn, if this thread has one. */
    public void end() {
        if (lock.isHeldByCurrentThread()) {
            lock.unlock();
        }
    }
}
