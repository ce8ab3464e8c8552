package io.outbox.internal.metrics;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import io.outbox.upkeep.Outage;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The one door to the application's {@link MetricsExporter}: whatever an exporter throws stays here and is logged, the
 * first time as a warning. Nothing else in the engine calls an exporter.
 */
public final class EngineMetrics extends ForwardingMetrics {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final boolean isOff;
    private final Outage outage = new Outage(LOG, "The metrics exporter failed; delivery continues without it");
    /** The poller measures events without a key, the loop over keys the others. */
    private volatile long unkeyedLagMs;

    private volatile long keyedLagMs;

    public EngineMetrics(MetricsExporter exporter) {
        super(Objects.requireNonNull(exporter, "metrics"));
        this.isOff = exporter == MetricsExporter.NOOP;
    }

    /** Returns whether nobody listens, so that nothing need be measured. */
    public boolean isOff() {
        return isOff;
    }

    @Override
    protected void report(Consumer<MetricsExporter> call) {
        if (isOff) {
            return;
        }
        try {
            super.report(call);
        } catch (Throwable e) {
            outage.failed(e);
        }
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        unkeyedLagMs = lagMs;
        super.recordOldestLagMs(Math.max(lagMs, keyedLagMs));
    }

    @Override
    public void recordOldestKeyedLagMs(long lagMs) {
        keyedLagMs = lagMs;
        super.recordOldestKeyedLagMs(lagMs);
        super.recordOldestLagMs(Math.max(lagMs, unkeyedLagMs));
    }

    public void coldEnqueued(int events) {
        for (int i = 0; i < events && !isOff; i++) {
            incrementColdEnqueued();
        }
    }

    public void moveAttempted(int count) {
        if (count > 0) {
            incrementMovedToDlq(count, 0);
        }
    }

    public void returnAttempted(int count) {
        if (count > 0) {
            incrementReturnedToOutbox(count, 0);
        }
    }
}
