package io.outbox.internal.completion;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who is at it: the poller, which claims a page and hands it over, or completion, which writes outcomes and ends holds.
 *
 * <p>They take turns where a claim cannot be given back. An event whose outcome makes it due again must not be claimed before
 * its hold has ended: the claim would be in vain, and lock the event until the lease is over. Neither waits for the other for
 * long, so a poller that waits for completion does not stop both.
 */
final class Turns {

    private static final long PATIENCE_MS = 500;

    private final ReentrantLock lock = new ReentrantLock();

    /** Begins a turn, or goes ahead if the other's takes too long. */
    void begin() {
        try {
            lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void end() {
        if (lock.isHeldByCurrentThread()) {
            lock.unlock();
        }
    }
}
