package io.outbox.admin;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What this node has done in the last hours, in slots of ten seconds, kept in memory. Give it to the outbox as its
 * {@link MetricsExporter}, around the one that there is, and to {@link OutboxAdmin}. Thread-safe.
 */
public final class OutboxSeries extends ForwardingMetrics {

    /** The time that one slot stands for. */
    public static final Duration SLOT = Duration.ofSeconds(10);

    /** How far back slots go. */
    public static final Duration KEPT = Duration.ofHours(6);

    private static final int SLOTS = (int) KEPT.dividedBy(SLOT);

    private final Clock clock;
    private final Slot[] slots = new Slot[SLOTS];

    private OutboxSeries(MetricsExporter exporter, Clock clock) {
        super(exporter);
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
        private long started;
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
    synchronized List<Views.Slot> last(Duration window) {
        long now = clock.millis() / SLOT.toMillis();
        long count = Math.min(SLOTS, Math.max(1, window.dividedBy(SLOT)));
        List<Views.Slot> views = new ArrayList<>();
        for (long number = now - count + 1; number <= now; number++) {
            Slot slot = slots[(int) (number % SLOTS)];
            views.add(view(slot != null && slot.number == number ? slot : new Slot(number)));
        }
        return views;
    }

    private static Views.Slot view(Slot slot) {
        return new Views.Slot(
                Instant.ofEpochMilli(slot.number * SLOT.toMillis()),
                slot.done,
                slot.failed,
                slot.dead,
                slot.started,
                slot.started == 0 ? null : slot.latencyMs / slot.started,
                slot.started == 0 ? null : slot.maxLatencyMs,
                slot.lagMs,
                slot.hotQueue,
                slot.coldQueue);
    }

    @Override
    public void incrementDispatchSuccess() {
        change(slot -> slot.done++);
        super.incrementDispatchSuccess();
    }

    @Override
    public void incrementDispatchFailure() {
        change(slot -> slot.failed++);
        super.incrementDispatchFailure();
    }

    @Override
    public void incrementDispatchDead() {
        change(slot -> slot.dead++);
        super.incrementDispatchDead();
    }

    @Override
    public void recordDispatchLatencyMs(long latencyMs) {
        change(slot -> {
            slot.started++;
            slot.latencyMs += latencyMs;
            slot.maxLatencyMs = Math.max(slot.maxLatencyMs, latencyMs);
        });
        super.recordDispatchLatencyMs(latencyMs);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        change(slot -> slot.lagMs = Math.max(slot.lagMs, lagMs));
        super.recordOldestLagMs(lagMs);
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        change(slot -> {
            slot.hotQueue = Math.max(slot.hotQueue, hotDepth);
            slot.coldQueue = Math.max(slot.coldQueue, coldDepth);
        });
        super.recordQueueDepths(hotDepth, coldDepth);
    }
}
