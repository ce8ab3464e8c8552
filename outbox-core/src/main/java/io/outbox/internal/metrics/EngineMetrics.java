package io.outbox.internal.metrics;

import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import io.outbox.upkeep.Outage;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The one door to the application's {@link MetricsExporter}: whatever an exporter throws stays here and is logged, the
 * first time as a warning. Nothing else in the engine calls an exporter.
 */
public final class EngineMetrics {

    private static final System.Logger LOG = System.getLogger(EngineMetrics.class.getName());

    private final MetricsExporter exporter;
    private final Outage outage = new Outage(LOG, "The metrics exporter failed; delivery continues without it");

    public EngineMetrics(MetricsExporter exporter) {
        this.exporter = Objects.requireNonNull(exporter, "metrics");
    }

    /** Returns whether nobody listens, so that nothing need be measured. */
    public boolean isOff() {
        return exporter == MetricsExporter.NOOP;
    }

    private void report(Consumer<MetricsExporter> call) {
        if (isOff()) {
            return;
        }
        try {
            call.accept(exporter);
        } catch (Throwable e) {
            outage.failed(e);
        }
    }

    public void hotEnqueued() {
        report(MetricsExporter::incrementHotEnqueued);
    }

    public void hotDropped() {
        report(MetricsExporter::incrementHotDropped);
    }

    public void hotSkippedDelayed() {
        report(MetricsExporter::incrementHotSkippedDelayed);
    }

    public void coldEnqueued(int events) {
        for (int i = 0; i < events && !isOff(); i++) {
            report(MetricsExporter::incrementColdEnqueued);
        }
    }

    public void queueDepths(int hotDepth, int coldDepth) {
        report(metrics -> metrics.recordQueueDepths(hotDepth, coldDepth));
    }

    public void dispatchLatency(long millis) {
        report(metrics -> metrics.recordDispatchLatencyMs(millis));
    }

    public void listenerDuration(long millis) {
        report(metrics -> metrics.recordListenerDurationMs(millis));
    }

    public void succeeded() {
        report(MetricsExporter::incrementDispatchSuccess);
    }

    public void failed() {
        report(MetricsExporter::incrementDispatchFailure);
    }

    public void deferred() {
        report(MetricsExporter::incrementDispatchDeferred);
    }

    public void dead() {
        report(MetricsExporter::incrementDispatchDead);
    }

    public void outcome(String eventType, EventStatus status) {
        report(metrics -> metrics.recordOutcome(eventType, status));
    }

    public void completionBatch(int size) {
        report(metrics -> metrics.recordCompletionBatchSize(size));
    }

    public void fenced(int count) {
        report(metrics -> metrics.incrementFenced(count));
    }

    public void recovered(int count) {
        report(metrics -> metrics.incrementRecovered(count));
    }

    public void oldestLag(long millis) {
        report(metrics -> metrics.recordOldestLagMs(millis));
    }

    public void oldestLagByType(Map<String, Long> millis) {
        report(metrics -> metrics.recordOldestLagByTypeMs(millis));
    }

    public void routeUnavailable(String eventType, boolean unavailable) {
        report(metrics -> metrics.recordRouteUnavailable(eventType, unavailable));
    }

    public void purged(long count) {
        report(metrics -> metrics.incrementPurged(count));
    }

    public void deadLetters(String eventType, DlqStatus status, int count) {
        report(metrics -> metrics.recordDeadLetters(eventType, status, count));
    }

    public void moveAttempted(int count) {
        if (count > 0) {
            report(metrics -> metrics.incrementMovedToDlq(count, 0));
        }
    }

    public void movedToDlq(int count) {
        report(metrics -> metrics.incrementMovedToDlq(0, count));
    }

    public void movedToDlqInMs(long millis) {
        report(metrics -> metrics.recordDlqTransferToMs(millis));
    }

    public void returnAttempted(int count) {
        if (count > 0) {
            report(metrics -> metrics.incrementReturnedToOutbox(count, 0));
        }
    }

    public void returned(int count) {
        report(metrics -> metrics.incrementReturnedToOutbox(0, count));
    }

    public void returnedInMs(long millis) {
        report(metrics -> metrics.recordDlqTransferFromMs(millis));
    }

    public void deadLettersDeleted(int count) {
        report(metrics -> metrics.incrementDeadLettersDeleted(count));
    }
}
