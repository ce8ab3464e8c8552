package io.outbox.spi;

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

    /** The time an event waited between entering a queue and its listener. */
    default void recordDispatchLatencyMs(long latencyMs) {}

    /** The time a listener took. */
    default void recordListenerDurationMs(long durationMs) {}

    /** Outcomes that were refused because the event has another owner or has ended. */
    default void incrementFenced(int count) {}

    /** The number of outcomes written together. */
    default void recordCompletionBatchSize(int size) {}

    /** Finished events deleted by one purge run. */
    default void incrementPurged(long count) {}

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
