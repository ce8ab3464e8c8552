package io.outbox.samples.demo.tour;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What the outbox counts, as far as the demo shows it. Thread-safe. */
final class Counters extends ForwardingMetrics {

    private static final long PATIENCE_SECONDS = 60;

    private final AtomicInteger hot = new AtomicInteger();
    private final AtomicInteger cold = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger dead = new AtomicInteger();
    private final CountDownLatch firstDead = new CountDownLatch(1);

    Counters() {
        super(MetricsExporter.NOOP);
    }

    int hot() {
        return hot.get();
    }

    int cold() {
        return cold.get();
    }

    /** Returns the failed attempts after which the event was tried again. */
    int failures() {
        return failures.get();
    }

    int dead() {
        return dead.get();
    }

    void awaitDead() throws InterruptedException {
        if (!firstDead.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no event went DEAD within " + PATIENCE_SECONDS + " s");
        }
    }

    @Override
    public void incrementHotEnqueued() {
        hot.incrementAndGet();
    }

    @Override
    public void incrementColdEnqueued() {
        cold.incrementAndGet();
    }

    @Override
    public void incrementDispatchFailure() {
        failures.incrementAndGet();
    }

    @Override
    public void incrementDispatchDead() {
        dead.incrementAndGet();
        firstDead.countDown();
    }
}
