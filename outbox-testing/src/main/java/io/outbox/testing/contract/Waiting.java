package io.outbox.testing.contract;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Bounded waiting in real time. */
final class Waiting {

    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Waiting() {}

    /** Returns once the time has passed; interrupts do not shorten it. */
    static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        boolean interrupted = false;
        for (long left; (left = end - System.nanoTime()) > 0; ) {
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns once the time has passed; an interrupt ends it, as it should end a listener's work. */
    static void pauseInterruptibly(Duration duration) throws InterruptedException {
        new CountDownLatch(1).await(duration.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Returns once the condition holds, or when the time has passed. */
    static void atMost(Duration duration, BooleanSupplier condition) {
        long end = System.nanoTime() + duration.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }

    /** Returns once the condition holds; fails with the description if it does not within the time given. */
    static void until(Duration atMost, Supplier<String> description, BooleanSupplier condition) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError("Not within " + atMost + ": " + description.get());
            }
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }
}
