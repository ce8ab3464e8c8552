package io.outbox.admin;

import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What this node has done in the last hours, in slots of ten seconds, kept in memory. Give it to the outbox as its
 * {@link MetricsExporter}, around the one that there is, and to {@link OutboxAdmin}. Thread-safe.
 */
public final class OutboxSeries implements MetricsExporter {

    /** The time that one slot stands for. */
    public static final Duration SLOT = Duration.ofSeconds(10);

    /** How far back slots go. */
    public static final Duration KEPT = Duration.ofHours(6);

    private static final int SLOTS = (int) KEPT.dividedBy(SLOT);

    private final MetricsExporter next;
    private final Clock clock;
    private final Slot[] slots = new Slot[SLOTS];

    private OutboxSeries(MetricsExporter next, Clock clock) {
        this.next = Objects.requireNonNull(next, "exporter");
        this.clock = clock;
    }

    /** Returns a series that passes everything on. */
    public static OutboxSeries around(MetricsExporter exporter) {
        return around(exporter, Clock.systemUTC());
    }

    static OutboxSeries around(MetricsExporter exporter, Clock clock) {
        return new OutboxSeries(exporter, clock);
    }

    /** What happened in ten seconds. */
    private static final class Slot {
        private final long number;
        private long done;
        private long failed;
        private long dead;
        private long latencies;
        private long latencyMs;
        private long maxLatencyMs;
        private long lagMs;
        private int hotQueue;
        private int coldQueue;

        private Slot(long number) {
            this.number = number;
        }
    }

    private interface Change {
        void apply(Slot slot);
    }

    private synchronized void change(Change change) {
        long number = clock.millis() / SLOT.toMillis();
        int index = (int) (number % SLOTS);
        if (slots[index] == null || slots[index].number != number) {
            slots[index] = new Slot(number);
        }
        change.apply(slots[index]);
    }

    /** Returns the slots of a time up to now, the oldest first, empty ones included. */
    synchronized List<Map<String, Object>> last(Duration window) {
        long now = clock.millis() / SLOT.toMillis();
        long count = Math.min(SLOTS, Math.max(1, window.dividedBy(SLOT)));
        List<Map<String, Object>> views = new ArrayList<>();
        for (long number = now - count + 1; number <= now; number++) {
            Slot slot = slots[(int) (number % SLOTS)];
            views.add(view(slot != null && slot.number == number ? slot : new Slot(number)));
        }
        return views;
    }

    private static Map<String, Object> view(Slot slot) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", Instant.ofEpochMilli(slot.number * SLOT.toMillis()));
        view.put("done", slot.done);
        view.put("failed", slot.failed);
        view.put("dead", slot.dead);
        view.put("latencyMs", slot.latencies == 0 ? null : slot.latencyMs / slot.latencies);
        view.put("maxLatencyMs", slot.latencies == 0 ? null : slot.maxLatencyMs);
        view.put("lagMs", slot.lagMs);
        view.put("hotQueue", slot.hotQueue);
        view.put("coldQueue", slot.coldQueue);
        return view;
    }

    @Override
    public void incrementDispatchSuccess() {
        change(slot -> slot.done++);
        next.incrementDispatchSuccess();
    }

    @Override
    public void incrementDispatchFailure() {
        change(slot -> slot.failed++);
        next.incrementDispatchFailure();
    }

    @Override
    public void incrementDispatchDead() {
        change(slot -> slot.dead++);
        next.incrementDispatchDead();
    }

    @Override
    public void recordDispatchLatencyMs(long latencyMs) {
        change(slot -> {
            slot.latencies++;
            slot.latencyMs += latencyMs;
            slot.maxLatencyMs = Math.max(slot.maxLatencyMs, latencyMs);
        });
        next.recordDispatchLatencyMs(latencyMs);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        change(slot -> slot.lagMs = Math.max(slot.lagMs, lagMs));
        next.recordOldestLagMs(lagMs);
    }

    @Override
    public void incrementHotEnqueued() {
        next.incrementHotEnqueued();
    }

    @Override
    public void incrementHotDropped() {
        next.incrementHotDropped();
    }

    @Override
    public void incrementColdEnqueued() {
        next.incrementColdEnqueued();
    }

    @Override
    public void incrementDispatchDeferred() {
        next.incrementDispatchDeferred();
    }

    @Override
    public void incrementHotSkippedDelayed() {
        next.incrementHotSkippedDelayed();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        change(slot -> {
            slot.hotQueue = Math.max(slot.hotQueue, hotDepth);
            slot.coldQueue = Math.max(slot.coldQueue, coldDepth);
        });
        next.recordQueueDepths(hotDepth, coldDepth);
    }

    @Override
    public void recordOldestLagByTypeMs(Map<String, Long> lagMs) {
        next.recordOldestLagByTypeMs(lagMs);
    }

    @Override
    public void recordListenerDurationMs(long durationMs) {
        next.recordListenerDurationMs(durationMs);
    }

    @Override
    public void incrementFenced(int count) {
        next.incrementFenced(count);
    }

    @Override
    public void recordCompletionBatchSize(int size) {
        next.recordCompletionBatchSize(size);
    }

    @Override
    public void incrementPurged(long count) {
        next.incrementPurged(count);
    }

    @Override
    public void recordRouteUnavailable(String eventType, boolean unavailable) {
        next.recordRouteUnavailable(eventType, unavailable);
    }

    @Override
    public void recordOutcome(String eventType, EventStatus status) {
        next.recordOutcome(eventType, status);
    }

    @Override
    public void incrementRecovered(int count) {
        next.incrementRecovered(count);
    }

    @Override
    public void recordDeadLetters(String eventType, DlqStatus status, int count) {
        next.recordDeadLetters(eventType, status, count);
    }

    @Override
    public void incrementMovedToDlq(int attempted, int moved) {
        next.incrementMovedToDlq(attempted, moved);
    }

    @Override
    public void incrementReturnedToOutbox(int attempted, int returned) {
        next.incrementReturnedToOutbox(attempted, returned);
    }

    @Override
    public void incrementDeadLettersDeleted(int count) {
        next.incrementDeadLettersDeleted(count);
    }

    @Override
    public void recordDlqTransferToMs(long durationMs) {
        next.recordDlqTransferToMs(durationMs);
    }

    @Override
    public void recordDlqTransferFromMs(long durationMs) {
        next.recordDlqTransferFromMs(durationMs);
    }
}
