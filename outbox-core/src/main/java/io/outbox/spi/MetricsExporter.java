package io.outbox.spi;

import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Receives what the engine counts and measures. Implementations are thread-safe, quick, and do not throw. Outcomes are
 * counted once they are durable.
 */
public interface MetricsExporter {

    /** Ignores everything. */
    MetricsExporter NOOP = new Noop();

    void incrementHotEnqueued();

    /** An event found the hot queue full and was left to the poller. */
    void incrementHotDropped();

    void incrementColdEnqueued();

    void incrementDispatchSuccess();

    /** A failed attempt; the event will be retried. */
    void incrementDispatchFailure();

    void incrementDispatchDead();

    /** The listener asked to see the event again later. */
    default void incrementDispatchDeferred() {}

    /** A delayed event was left to the poller. */
    default void incrementHotSkippedDelayed() {}

    void recordQueueDepths(int hotDepth, int coldDepth);

    /** The age of the oldest event that is due and not delivered; 0 if there is none. */
    void recordOldestLagMs(long lagMs);

    /** The age of the oldest due event of each event type that has one; a type that is missing has none. */
    default void recordOldestLagByTypeMs(Map<String, Long> lagMs) {}

    /**
     * The time an event of this type waited between entering a queue and its listener, in nanoseconds. The engine calls
     * only this method. This default passes the whole milliseconds to {@link #recordDispatchLatencyMs}.
     */
    default void recordDispatchLatency(String eventType, long nanos) {
        recordDispatchLatencyMs(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    /** The time an event waited between entering a queue and its listener, in milliseconds. */
    default void recordDispatchLatencyMs(long latencyMs) {}

    /**
     * The time that one call of the listener for this event type took, in nanoseconds; a batch is one call. The engine
     * calls only this method. This default passes the whole milliseconds to {@link #recordListenerDurationMs}.
     */
    default void recordListenerDuration(String eventType, long nanos) {
        recordListenerDurationMs(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    /** The time that one call of a listener took, in milliseconds; a batch is one call. */
    default void recordListenerDurationMs(long durationMs) {}

    /** Outcomes that were refused because the event has another owner or has ended. */
    default void incrementFenced(int count) {}

    /** The number of outcomes written together. */
    default void recordCompletionBatchSize(int size) {}

    /** Finished events deleted by one purge run. */
    default void incrementPurged(long count) {}

    /**
     * Whether the target of an event type cannot be reached, so that its events wait in the store. Reported with each
     * change, and when the outbox is built once for each event type with a lane, so that a gauge exists before the
     * first outage.
     */
    default void recordRouteUnavailable(String eventType, boolean unavailable) {}

    /** The end of a delivery attempt: DONE, RETRY after a failure, NEW if deferred, or DEAD. */
    default void recordOutcome(String eventType, EventStatus status) {}

    /** Events that were taken over because their owner did not complete them in time. */
    default void incrementRecovered(int count) {}

    /**
     * Keys that were looked at, with order by key: those that gave events, and those that had nothing for this node.
     */
    default void incrementKeyedClaims(int taken, int empty) {}

    /** An event failed for good and keeps its place: its key is blocked. */
    default void incrementKeyedParked() {}

    /** An operator had an event delivered again that blocked its key. */
    default void incrementKeyedResumed() {}

    /**
     * A key continued without an event that failed for good: the event is DEAD, because an operator or the ordering
     * skipped it.
     */
    default void incrementKeyedSkipped() {}

    /**
     * Events that were found after one of their key with a higher number was delivered by this node: the transactions
     * that wrote them overlapped.
     */
    default void incrementKeyedLate(int count) {}

    /** The age of the oldest due event that is the first of its key and not parked; 0 if there is none. */
    default void recordOldestKeyedLagMs(long lagMs) {}

    /** Dead letters that came into a state: MOVED, TO_RETRY, or IN_PROCESS if a transfer took them. */
    default void recordDeadLetters(String eventType, DlqStatus status, int count) {}

    /** DEAD events that were to become dead letters, each time that it was tried, and how many of them did. */
    default void incrementMovedToDlq(int attempted, int moved) {}

    /** Dead letters that were to return to the outbox, each time that it was tried, and how many of them did. */
    default void incrementReturnedToOutbox(int attempted, int returned) {}

    /** Dead letters that an operator deleted. */
    default void incrementDeadLettersDeleted(int count) {}

    /** The time that one transfer to the dead letters took; at death, that of the write of which it is a part. */
    default void recordDlqTransferToMs(long durationMs) {}

    /** The time that one transfer from the dead letters took. */
    default void recordDlqTransferFromMs(long durationMs) {}

    /** A message with hints for other nodes was sent; one may stand for many events. */
    default void incrementHintsSent() {}

    /** A message with hints could not be sent: other nodes find its events by their next poll. */
    default void incrementHintsDropped() {}

    /** A message with hints arrived, from another node or this one. */
    default void incrementHintsHeard() {}

    /** The administration refused a request, for a reason such as {@code unauthorized} or {@code role-missing}. */
    default void incrementAdminRefused(String reason) {}

    /** Does nothing. */
    final class Noop implements MetricsExporter {
        private Noop() {}

        @Override
        public void incrementHotEnqueued() {}

        @Override
        public void incrementHotDropped() {}

        @Override
        public void incrementColdEnqueued() {}

        @Override
        public void incrementDispatchSuccess() {}

        @Override
        public void incrementDispatchFailure() {}

        @Override
        public void incrementDispatchDead() {}

        @Override
        public void recordQueueDepths(int hotDepth, int coldDepth) {}

        @Override
        public void recordOldestLagMs(long lagMs) {}
    }
}
