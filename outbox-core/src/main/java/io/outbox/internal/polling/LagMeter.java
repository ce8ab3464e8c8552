package io.outbox.internal.polling;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.model.PendingEvents;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.HousekeepingBackend;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures for how long the oldest due event waits: as the store has it, so that events in the hands of nodes count too.
 * Thread-safe.
 */
final class LagMeter {

    private static final System.Logger LOG = System.getLogger(LagMeter.class.getName());
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PERIOD_BY_TYPE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final DeliveryBackend backend;
    private final HousekeepingBackend housekeeping;
    private final EngineMetrics metrics;
    private long measuredAtNanos = System.nanoTime() - PERIOD_NANOS;
    private long measuredByTypeAtNanos = System.nanoTime() - PERIOD_BY_TYPE_NANOS;

    LagMeter(DeliveryBackend backend, HousekeepingBackend housekeeping, EngineMetrics metrics) {
        this.backend = backend;
        this.housekeeping = housekeeping;
        this.metrics = metrics;
    }

    /** Measures and reports, unless that was done a moment ago or nobody listens. */
    synchronized void measure(Instant now) {
        if (metrics.isOff()) {
            return;
        }
        long nanos = System.nanoTime();
        try {
            if (nanos - measuredAtNanos >= PERIOD_NANOS) {
                metrics.oldestLag(
                        backend.oldestDueAt(now).map(oldest -> age(oldest, now)).orElse(0L));
                measuredAtNanos = nanos;
            }
            if (nanos - measuredByTypeAtNanos >= PERIOD_BY_TYPE_NANOS) {
                Map<String, Long> byType = new HashMap<>();
                for (PendingEvents type : housekeeping.pending(now)) {
                    byType.put(type.eventType(), age(type.oldestDueAt(), now));
                }
                metrics.oldestLagByType(byType);
                measuredByTypeAtNanos = nanos;
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.DEBUG, "Cannot measure how long events wait", e);
        }
    }

    /** Reports that no event waits. */
    synchronized void nothingIsDue() {
        if (!metrics.isOff()) {
            metrics.oldestLag(0);
            metrics.oldestLagByType(Map.of());
            measuredAtNanos = System.nanoTime();
            measuredByTypeAtNanos = measuredAtNanos;
        }
    }

    private static long age(Instant oldest, Instant now) {
        return Math.max(0, Duration.between(oldest, now).toMillis());
    }
}
