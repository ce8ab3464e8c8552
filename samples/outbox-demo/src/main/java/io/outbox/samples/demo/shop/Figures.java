package io.outbox.samples.demo.shop;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.spi.MetricsExporter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** What the outbox counts, as far as the demo shows it. Thread-safe. */
final class Figures implements WriterHook, MetricsExporter {

    private final AtomicLong written = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile long lagMs;

    /** Returns everything in a line. */
    String line(long deadLetters) {
        return String.format(
                Locale.ROOT,
                "written %d, delivered %d, failed attempts %d, dead %d, lag %.1f s",
                written.get(),
                delivered.get(),
                failed.get(),
                deadLetters,
                lagMs / 1000.0);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        written.addAndGet(events.size());
    }

    @Override
    public void incrementDispatchSuccess() {
        delivered.incrementAndGet();
    }

    @Override
    public void incrementDispatchFailure() {
        failed.incrementAndGet();
    }

    @Override
    public void incrementDispatchDead() {
        failed.incrementAndGet();
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        this.lagMs = lagMs;
    }

    @Override
    public void incrementHotEnqueued() {}

    @Override
    public void incrementHotDropped() {}

    @Override
    public void incrementColdEnqueued() {}

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {}
}
