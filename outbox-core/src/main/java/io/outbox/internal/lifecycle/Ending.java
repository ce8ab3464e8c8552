package io.outbox.internal.lifecycle;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** The end of something that is closed once: whoever closes it again waits until the first has done it. Thread-safe. */
public final class Ending {

    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);

    /** Runs the action if nobody has called before; otherwise waits until that one is through. */
    public void once(Runnable action) {
        if (begun.compareAndSet(false, true)) {
            try {
                action.run();
            } finally {
                done.countDown();
            }
            return;
        }
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
