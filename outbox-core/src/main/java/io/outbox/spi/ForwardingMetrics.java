package io.outbox.spi;

import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * An exporter that passes everything on to another: the base of exporters that wrap one. Override what interests you,
 * and call {@code super}, or {@link #report} to do something around every call. Around {@link MetricsExporter#NOOP} it
 * is the base of exporters that only take part of the metrics.
 */
public abstract class ForwardingMetrics implements MetricsExporter {

    private final MetricsExporter exporter;

    protected ForwardingMetrics(MetricsExporter exporter) {
        this.exporter = Objects.requireNonNull(exporter, "exporter");
    }

    /** Makes a call of the exporter behind this one. */
    protected void report(Consumer<MetricsExporter> call) {
        call.accept(exporter);
    }

    @Override
    public void incrementHotEnqueued() {
        report(MetricsExporter::incrementHotEnqueued);
    }

    @Override
    public void incrementHotDropped() {
        report(MetricsExporter::incrementHotDropped);
    }

    @Override
    public void incrementColdEnqueued() {
        report(MetricsExporter::incrementColdEnqueued);
    }

    @Override
    public void incrementDispatchSuccess() {
        report(MetricsExporter::incrementDispatchSuccess);
    }

    @Override
    public void incrementDispatchFailure() {
        report(MetricsExporter::incrementDispatchFailure);
    }

    @Override
    public void incrementDispatchDead() {
        report(MetricsExporter::incrementDispatchDead);
    }

    @Override
    public void incrementDispatchDeferred() {
        report(MetricsExporter::incrementDispatchDeferred);
    }

    @Override
    public void incrementHotSkippedDelayed() {
        report(MetricsExporter::incrementHotSkippedDelayed);
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        report(to -> to.recordQueueDepths(hotDepth, coldDepth));
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        report(to -> to.recordOldestLagMs(lagMs));
    }

    @Override
    public void recordOldestLagByTypeMs(Map<String, Long> lagMs) {
        report(to -> to.recordOldestLagByTypeMs(lagMs));
    }

    @Override
    public void recordDispatchLatency(String eventType, long nanos) {
        report(to -> to.recordDispatchLatency(eventType, nanos));
    }

    @Override
    public void recordDispatchLatencyMs(long latencyMs) {
        report(to -> to.recordDispatchLatencyMs(latencyMs));
    }

    @Override
    public void recordListenerDuration(String eventType, long nanos) {
        report(to -> to.recordListenerDuration(eventType, nanos));
    }

    @Override
    public void recordListenerDurationMs(long durationMs) {
        report(to -> to.recordListenerDurationMs(durationMs));
    }

    @Override
    public void incrementFenced(int count) {
        report(to -> to.incrementFenced(count));
    }

    @Override
    public void recordCompletionBatchSize(int size) {
        report(to -> to.recordCompletionBatchSize(size));
    }

    @Override
    public void incrementPurged(long count) {
        report(to -> to.incrementPurged(count));
    }

    @Override
    public void recordRouteUnavailable(String eventType, boolean unavailable) {
        report(to -> to.recordRouteUnavailable(eventType, unavailable));
    }

    @Override
    public void recordOutcome(String eventType, EventStatus status) {
        report(to -> to.recordOutcome(eventType, status));
    }

    @Override
    public void incrementRecovered(int count) {
        report(to -> to.incrementRecovered(count));
    }

    @Override
    public void incrementKeyedClaims(int taken, int empty) {
        report(to -> to.incrementKeyedClaims(taken, empty));
    }

    @Override
    public void incrementKeyedParked() {
        report(MetricsExporter::incrementKeyedParked);
    }

    @Override
    public void incrementKeyedResumed() {
        report(MetricsExporter::incrementKeyedResumed);
    }

    @Override
    public void incrementKeyedSkipped() {
        report(MetricsExporter::incrementKeyedSkipped);
    }

    @Override
    public void incrementKeyedLate(int count) {
        report(to -> to.incrementKeyedLate(count));
    }

    @Override
    public void recordOldestKeyedLagMs(long lagMs) {
        report(to -> to.recordOldestKeyedLagMs(lagMs));
    }

    @Override
    public void recordDeadLetters(String eventType, DlqStatus status, int count) {
        report(to -> to.recordDeadLetters(eventType, status, count));
    }

    @Override
    public void incrementMovedToDlq(int attempted, int moved) {
        report(to -> to.incrementMovedToDlq(attempted, moved));
    }

    @Override
    public void incrementReturnedToOutbox(int attempted, int returned) {
        report(to -> to.incrementReturnedToOutbox(attempted, returned));
    }

    @Override
    public void incrementDeadLettersDeleted(int count) {
        report(to -> to.incrementDeadLettersDeleted(count));
    }

    @Override
    public void recordDlqTransferToMs(long durationMs) {
        report(to -> to.recordDlqTransferToMs(durationMs));
    }

    @Override
    public void recordDlqTransferFromMs(long durationMs) {
        report(to -> to.recordDlqTransferFromMs(durationMs));
    }

    @Override
    public void incrementHintsSent() {
        report(MetricsExporter::incrementHintsSent);
    }

    @Override
    public void incrementHintsDropped() {
        report(MetricsExporter::incrementHintsDropped);
    }

    @Override
    public void incrementHintsHeard() {
        report(MetricsExporter::incrementHintsHeard);
    }

    @Override
    public void incrementAdminRefused(String reason) {
        report(to -> to.incrementAdminRefused(reason));
    }
}
