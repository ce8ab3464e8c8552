package io.outbox.jdbc.support;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The time that simulated work takes. */
public final class Pause {

    private Pause() {}

    /** Returns once the time has passed. */
    public static void of(Duration duration) throws InterruptedException {
        new CountDownLatch(1).await(duration.toNanos(), TimeUnit.NANOSECONDS);
    }
}
