package io.outbox.internal.delivery;

import io.outbox.dispatch.LanePolicy;
import java.time.Duration;

/** What distinguishes one lane from another. */
record LaneSettings(Queues queues, Workers workers, Pace pace, boolean strictOrder) {

    /** How long the workers of a type wait for its next event. */
    private static final Duration MOST_IDLE = Duration.ofSeconds(10);

    /** How many events wait in memory. */
    record Queues(int hotCapacity, int coldCapacity) {}

    /**
     * The threads that deliver.
     *
     * @param mostIdle how long one waits for an event before it goes, or {@code null} if all are always there
     */
    record Workers(int most, Duration mostIdle) {}

    /**
     * How fast a lane goes.
     *
     * @param batchSize how many events are read and delivered at a time, or 0 for the settings of poller and listener
     * @param maxPerSecond the largest number of events per second, or 0 for no limit
     * @param pollInterval the poller's longest sleep, or {@code null} for its setting
     */
    record Pace(int batchSize, int maxPerSecond, Duration pollInterval, Duration startDelay) {

        static final Pace DEFAULT = new Pace(0, 0, null, Duration.ZERO);
    }

    static LaneSettings of(LanePolicy policy, boolean strictOrder) {
        return new LaneSettings(
                new Queues(policy.queueCapacity(), policy.queueCapacity()),
                new Workers(policy.concurrency(), MOST_IDLE),
                new Pace(policy.batchSize(), policy.maxPerSecond(), policy.pollInterval(), policy.startDelay()),
                strictOrder);
    }
}
