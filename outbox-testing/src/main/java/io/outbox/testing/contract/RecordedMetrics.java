package io.outbox.testing.contract;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics as tests ask for them. Thread-safe. */
final class RecordedMetrics extends ForwardingMetrics {

    private final Queue<String> routes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger hotEnqueued = new AtomicInteger();
    private final AtomicInteger hotDropped = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger deferred = new AtomicInteger();
    private final AtomicInteger fenced = new AtomicInteger();
    private final AtomicInteger recovered = new AtomicInteger();
    private final Queue<String> keyed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger keysTaken = new AtomicInteger();

    RecordedMetrics() {
        super(MetricsExporter.NOOP);
    }

    /** Returns the routes that became unavailable or available, in order, as {@code type down} or {@code type up}. */
    List<String> routes() {
        return List.copyOf(routes);
    }

    int hotEnqueued() {
        return hotEnqueued.get();
    }

    int hotDropped() {
        return hotDropped.get();
    }

    int failures() {
        return failures.get();
    }

    int deferred() {
        return deferred.get();
    }

    int recovered() {
        return recovered.get();
    }

    int fenced() {
        return fenced.get();
    }

    /** Returns what became of events that failed for good: {@code parked}, {@code resumed} or {@code skipped}. */
    List<String> keyed() {
        return List.copyOf(keyed);
    }

    int keysTaken() {
        return keysTaken.get();
    }

    @Override
    public void incrementKeyedParked() {
        keyed.add("parked");
    }

    @Override
    public void incrementKeyedResumed() {
        keyed.add("resumed");
    }

    @Override
    public void incrementKeyedSkipped() {
        keyed.add("skipped");
    }

    @Override
    public void incrementKeyedClaims(int taken, int empty) {
        keysTaken.addAndGet(taken);
    }

    @Override
    public void recordRouteUnavailable(String eventType, boolean unavailable) {
        routes.add(eventType + (unavailable ? " down" : " up"));
    }

    @Override
    public void incrementDispatchFailure() {
        failures.incrementAndGet();
    }

    @Override
    public void incrementDispatchDeferred() {
        deferred.incrementAndGet();
    }

    @Override
    public void incrementFenced(int count) {
        fenced.addAndGet(count);
    }

    @Override
    public void incrementRecovered(int count) {
        recovered.addAndGet(count);
    }

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.incrementAndGet();
    }

    @Override
    public void incrementHotDropped() {
        hotDropped.incrementAndGet();
    }
}
