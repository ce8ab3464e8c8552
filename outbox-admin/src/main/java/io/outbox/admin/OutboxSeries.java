package io.outbox.admin;

import io.outbox.model.EventStatus;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What this node does, minute by minute and by event type, until {@link OutboxAdmin} keeps it. Give it to the outbox as
 * its {@link MetricsExporter}, around the one that there is, and to {@link OutboxAdmin}. Thread-safe.
 */
public final class OutboxSeries extends ForwardingMetrics {

    /** How many minutes wait to be kept; of a longer outage of the store the oldest are given up. */
    private static final int MOST_MINUTES = 30;

    /** What happened in a minute, counted from 1970. */
    record Minute(long number, Figures figures) {}

    private final Clock clock;
    private final TreeMap<Long, Figures> minutes = new TreeMap<>();
    private long offsetMs;
    private long firstMinute;
    private long done;
    private long changes;

    private OutboxSeries(MetricsExporter exporter, Clock clock) {
        super(exporter);
        this.clock = clock;
        this.firstMinute = minute();
    }

    /** Returns a series that passes everything on. */
    public static OutboxSeries around(MetricsExporter exporter) {
        return around(exporter, Clock.systemUTC());
    }

    static OutboxSeries around(MetricsExporter exporter, Clock clock) {
        return new OutboxSeries(exporter, clock);
    }

    /** Counts by another clock than this node's, so that the minutes of all nodes are the same. */
    synchronized void offset(long ms) {
        offsetMs = ms;
    }

    private long minute() {
        return (clock.millis() + offsetMs) / 60_000;
    }

    /** Returns how many events were delivered since the start. */
    synchronized long done() {
        return done;
    }

    /** Returns a number that is another one whenever something was delivered, or tried. */
    synchronized long changes() {
        return changes;
    }

    /** Returns the minutes that are over, each once, those included in which nothing happened. */
    synchronized List<Minute> takeWhole() {
        return take(minute());
    }

    /** Returns all minutes, also the one that has only begun. */
    synchronized List<Minute> takeAll() {
        return take(minute() + 1);
    }

    private List<Minute> take(long end) {
        List<Minute> whole = new ArrayList<>();
        for (long number = Math.max(firstMinute, end - MOST_MINUTES); number < end; number++) {
            Figures figures = minutes.remove(number);
            whole.add(new Minute(number, figures == null ? new Figures() : figures));
        }
        minutes.headMap(end).clear();
        firstMinute = Math.max(firstMinute, end);
        return whole;
    }

    private synchronized void change(Consumer<Figures> change) {
        change.accept(minutes.computeIfAbsent(minute(), number -> new Figures()));
        while (minutes.size() > MOST_MINUTES) {
            minutes.pollFirstEntry();
        }
    }

    @Override
    public void recordOutcome(String eventType, EventStatus status) {
        change(figures -> {
            Figures.OfType type = figures.of(eventType);
            changes++;
            switch (status) {
                case DONE -> {
                    type.addDone();
                    done++;
                }
                case RETRY -> type.addFailed();
                case DEAD -> type.addDead();
                default -> {
                    // Deferred: neither delivered nor failed.
                }
            }
        });
        super.recordOutcome(eventType, status);
    }

    @Override
    public void recordDispatchLatency(String eventType, long nanos) {
        change(figures -> figures.of(eventType).waits().add(TimeUnit.NANOSECONDS.toMillis(nanos)));
        super.recordDispatchLatency(eventType, nanos);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        change(figures -> figures.lag(lagMs));
        super.recordOldestLagMs(lagMs);
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        change(figures -> figures.queues(hotDepth, coldDepth));
        super.recordQueueDepths(hotDepth, coldDepth);
    }
}
