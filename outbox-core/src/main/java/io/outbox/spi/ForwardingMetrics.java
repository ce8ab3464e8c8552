package io.outbox.spi;

import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import java.util.Map;
import java.util.Objects;

/**
 * An exporter that passes everything on to another: the base of exporters that wrap one. Override what interests you, and
 * call {@code super}. Around {@link MetricsExporter#NOOP} it is the base of exporters that only take part of the metrics.
 */
public abstract class ForwardingMetrics implements MetricsExporter {

    private final MetricsExporter exporter;

    protected ForwardingMetrics(MetricsExporter exporter) {
        this.exporter = Objects.requireNonNull(exporter, "exporter");
    }

    @Override
    public void incrementHotEnqueued() {
        exporter.incrementHotEnqueued();
    }

    @Override
    public void incrementHotDropped() {
        exporter.incrementHotDropped();
    }

    @Override
    public void incrementColdEnqueued() {
        exporter.incrementColdEnqueued();
    }

    @Override
    public void incrementDispatchSuccess() {
        exporter.incrementDispatchSuccess();
    }

    @Override
    public void incrementDispatchFailure() {
        exporter.incrementDispatchFailure();
    }

    @Override
    public void incrementDispatchDead() {
        exporter.incrementDispatchDead();
    }

    @Override
    public void incrementDispatchDeferred() {
        exporter.incrementDispatchDeferred();
    }

    @Override
    public void incrementHotSkippedDelayed() {
        exporter.incrementHotSkippedDelayed();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        exporter.recordQueueDepths(hotDepth, coldDepth);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        exporter.recordOldestLagMs(lagMs);
    }

    @Override
    public void recordOldestLagByTypeMs(Map<String, Long> lagMs) {
        exporter.recordOldestLagByTypeMs(lagMs);
    }

    @Override
    public void recordDispatchLatencyMs(long latencyMs) {
        exporter.recordDispatchLatencyMs(latencyMs);
    }

    @Override
    public void recordListenerDurationMs(long durationMs) {
        exporter.recordListenerDurationMs(durationMs);
    }

    @Override
    public void incrementFenced(int count) {
        exporter.incrementFenced(count);
    }

    @Override
    public void recordCompletionBatchSize(int size) {
        exporter.recordCompletionBatchSize(size);
    }

    @Override
    public void incrementPurged(long count) {
        exporter.incrementPurged(count);
    }

    @Override
    public void recordRouteUnavailable(String eventType, boolean unavailable) {
        exporter.recordRouteUnavailable(eventType, unavailable);
    }

    @Override
    public void recordOutcome(String eventType, EventStatus status) {
        exporter.recordOutcome(eventType, status);
    }

    @Override
    public void incrementRecovered(int count) {
        exporter.incrementRecovered(count);
    }

    @Override
    public void recordDeadLetters(String eventType, DlqStatus status, int count) {
        exporter.recordDeadLetters(eventType, status, count);
    }

    @Override
    public void incrementMovedToDlq(int attempted, int moved) {
        exporter.incrementMovedToDlq(attempted, moved);
    }

    @Override
    public void incrementReturnedToOutbox(int attempted, int returned) {
        exporter.incrementReturnedToOutbox(attempted, returned);
    }

    @Override
    public void incrementDeadLettersDeleted(int count) {
        exporter.incrementDeadLettersDeleted(count);
    }

    @Override
    public void recordDlqTransferToMs(long durationMs) {
        exporter.recordDlqTransferToMs(durationMs);
    }

    @Override
    public void recordDlqTransferFromMs(long durationMs) {
        exporter.recordDlqTransferFromMs(durationMs);
    }
}
