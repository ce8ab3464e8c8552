package io.outbox.support;

import io.outbox.spi.MetricsExporter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Metrics as a map from name to sum (counters) or last value (measurements). */
public final class CountingMetrics implements MetricsExporter {

    private final Map<String, Long> values = new ConcurrentHashMap<>();

    public long get(String name) {
        return values.getOrDefault(name, 0L);
    }

    private void add(String name, long count) {
        values.merge(name, count, Long::sum);
    }

    @Override
    public void incrementHintsSent() {
        add("hintsSent", 1);
    }

    @Override
    public void incrementHintsDropped() {
        add("hintsDropped", 1);
    }

    @Override
    public void incrementHintsHeard() {
        add("hintsHeard", 1);
    }

    @Override
    public void incrementHotEnqueued() {
        add("hotEnqueued", 1);
    }

    @Override
    public void incrementHotDropped() {
        add("hotDropped", 1);
    }

    @Override
    public void incrementColdEnqueued() {
        add("coldEnqueued", 1);
    }

    @Override
    public void incrementDispatchSuccess() {
        add("success", 1);
    }

    @Override
    public void incrementDispatchFailure() {
        add("failure", 1);
    }

    @Override
    public void incrementDispatchDead() {
        add("dead", 1);
    }

    @Override
    public void incrementDispatchDeferred() {
        add("deferred", 1);
    }

    @Override
    public void incrementHotSkippedDelayed() {
        add("hotSkippedDelayed", 1);
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        values.put("hotDepth", (long) hotDepth);
        values.put("coldDepth", (long) coldDepth);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        values.put("oldestLagMs", lagMs);
    }

    @Override
    public void incrementFenced(int count) {
        add("fenced", count);
    }

    @Override
    public void incrementRecovered(int count) {
        add("recovered", count);
    }

    @Override
    public void incrementPurged(long count) {
        add("purged", count);
    }
}
