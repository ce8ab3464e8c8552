package io.outbox.internal.polling;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.spi.DueType;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures for how long the oldest due event waits: as the store has it, so that events in the hands of nodes count
 * too. It looks at the first event of each type and counts nothing, so it costs the same however many wait. Periods
 * begin when a measurement ends. Thread-safe.
 */
final class LagMeter {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PERIOD_BY_TYPE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Lookout lookout;
    private final EngineMetrics metrics;
    private long measuredAtNanos = System.nanoTime() - PERIOD_NANOS;
    private long measuredByTypeAtNanos = System.nanoTime() - PERIOD_BY_TYPE_NANOS;

    LagMeter(Lookout lookout, EngineMetrics metrics) {
        this.lookout = lookout;
        this.metrics = metrics;
    }

    /** Measures and reports, unless that was done a moment ago or nobody listens. */
    void measure(Instant now) {
        if (metrics.isOff()) {
            return;
        }
        try {
            oldestAge(now).ifPresent(metrics::recordOldestLagMs);
            agesByType(now).ifPresent(metrics::recordOldestLagByTypeMs);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.DEBUG, "Cannot measure how long events wait", e);
        }
    }

    /** Returns nothing if it was measured a moment ago. */
    private synchronized Optional<Long> oldestAge(Instant now) {
        if (System.nanoTime() - measuredAtNanos < PERIOD_NANOS) {
            return Optional.empty();
        }
        long age = lookout.oldestDue(now).map(oldest -> age(oldest, now)).orElse(0L);
        measuredAtNanos = System.nanoTime();
        return Optional.of(age);
    }

    /** Returns nothing if it was measured a moment ago. */
    private synchronized Optional<Map<String, Long>> agesByType(Instant now) {
        if (System.nanoTime() - measuredByTypeAtNanos < PERIOD_BY_TYPE_NANOS) {
            return Optional.empty();
        }
        Map<String, Long> ages = new HashMap<>();
        for (DueType type : lookout.byType(now).types()) {
            if (type.due() != null && !type.due().isAfter(now)) {
                ages.put(type.eventType(), age(type.due(), now));
            }
        }
        measuredByTypeAtNanos = System.nanoTime();
        return Optional.of(ages);
    }

    /** Reports that no event waits. */
    void nothingIsDue() {
        metrics.recordOldestLagMs(0);
        metrics.recordOldestLagByTypeMs(Map.of());
        synchronized (this) {
            measuredAtNanos = System.nanoTime();
            measuredByTypeAtNanos = measuredAtNanos;
        }
    }

    private static long age(Instant oldest, Instant now) {
        return Math.max(0, Duration.between(oldest, now).toMillis());
    }
}
