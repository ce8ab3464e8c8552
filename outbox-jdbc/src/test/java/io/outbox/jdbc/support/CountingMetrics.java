package io.outbox.jdbc.support;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts events on the hot path, outcomes as they become durable, and moves to the dead letters. */
public final class CountingMetrics extends ForwardingMetrics {

    public final AtomicInteger hotEnqueued = new AtomicInteger();
    public final AtomicInteger succeeded = new AtomicInteger();
    public final AtomicInteger failed = new AtomicInteger();
    public final AtomicInteger dead = new AtomicInteger();
    public final AtomicInteger fenced = new AtomicInteger();
    public final AtomicInteger movesTried = new AtomicInteger();
    public final AtomicInteger moved = new AtomicInteger();
    public final AtomicInteger movesTimed = new AtomicInteger();

    public CountingMetrics() {
        super(MetricsExporter.NOOP);
    }

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.incrementAndGet();
    }

    @Override
    public void incrementDispatchSuccess() {
        succeeded.incrementAndGet();
    }

    @Override
    public void incrementDispatchFailure() {
        failed.incrementAndGet();
    }

    @Override
    public void incrementDispatchDead() {
        dead.incrementAndGet();
    }

    @Override
    public void incrementFenced(int count) {
        fenced.addAndGet(count);
    }

    @Override
    public void incrementMovedToDlq(int attempted, int count) {
        movesTried.addAndGet(attempted);
        moved.addAndGet(count);
    }

    @Override
    public void recordDlqTransferToMs(long durationMs) {
        movesTimed.incrementAndGet();
    }
}
