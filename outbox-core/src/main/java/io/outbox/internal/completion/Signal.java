package io.outbox.internal.completion;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A call to look again that does not count: given once or a billion times, it ends one wait. Whoever returns from a
 * wait sees everything that was done before the signal was given. Thread-safe.
 */
final class Signal {

    private final AtomicBoolean given = new AtomicBoolean();
    /** Holds one permit while the signal is given and not yet taken. */
    private final Semaphore permit = new Semaphore(0);

    void give() {
        if (!given.get() && given.compareAndSet(false, true)) {
            permit.release();
        }
    }

    /** Waits until the signal is given, for at most that time, and takes it. */
    void await(long nanos) throws InterruptedException {
        if (permit.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
            given.set(false);
        }
    }

    /** Takes the signal if it is given. */
    void forget() {
        if (permit.tryAcquire()) {
            given.set(false);
        }
    }
}
