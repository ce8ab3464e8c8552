package io.outbox.support;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A place where a thread waits until the test lets it go on, and by which the test knows that it is there. */
public final class Gate {

    private static final long TIMEOUT_SECONDS = 30;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    /** Waits for the gate to open; does not hear interrupts, as a driver does not. */
    public void pass() {
        reached.countDown();
        boolean interrupted = false;
        while (true) {
            try {
                if (!opened.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError("the gate was not opened");
                }
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until somebody stands at the gate. */
    public void awaitReached() {
        try {
            if (!reached.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody came to the gate");
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    public boolean isReached() {
        return reached.getCount() == 0;
    }

    /** Lets everybody pass from now on. */
    public void open() {
        opened.countDown();
    }
}
