package io.outbox.dispatch;

import io.outbox.spi.Limits;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the events of one type are delivered when the type has a lane: with its own queues and workers, so that a slow or
 * failing type never holds up another. Immutable.
 */
public final class LanePolicy {

    public static final int DEFAULT_CONCURRENCY = 1;

    private final int batchSize;
    private final int maxAttempts;
    private final RetryPolicy retryPolicy;
    private final int concurrency;
    private final int maxPerSecond;
    private final int queueCapacity;
    private final @Nullable Duration pollInterval;
    private final Duration startDelay;

    private LanePolicy(Builder builder) {
        this.batchSize = builder.batchSize;
        this.maxAttempts = builder.maxAttempts;
        this.retryPolicy = builder.retryPolicy;
        this.concurrency = builder.concurrency;
        this.maxPerSecond = builder.maxPerSecond;
        this.queueCapacity = builder.queueCapacity;
        this.pollInterval = builder.pollInterval;
        this.startDelay = builder.startDelay;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns how many events are read, and handed to a batch listener, at a time; 0 for the outbox's setting. */
    public int batchSize() {
        return batchSize;
    }

    /** Returns how often an event is tried before it goes DEAD. */
    public int maxAttempts() {
        return maxAttempts;
    }

    public RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** Returns how many listener calls run at the same time. */
    public int concurrency() {
        return concurrency;
    }

    /** Returns the largest number of events per second, or 0 for no limit. */
    public int maxPerSecond() {
        return maxPerSecond;
    }

    /** Returns the capacity of the lane's hot queue, and of its cold queue. */
    public int queueCapacity() {
        return queueCapacity;
    }

    /** Returns the poller's longest sleep for this lane, or {@code null} for the outbox's setting. */
    public @Nullable Duration pollInterval() {
        return pollInterval;
    }

    /** Returns how long after the start the lane's delivery begins. */
    public Duration startDelay() {
        return startDelay;
    }

    /** Builds a {@link LanePolicy}. Not thread-safe. */
    public static final class Builder {

        private int batchSize;
        private int maxAttempts = OutboxDispatcher.DEFAULT_MAX_ATTEMPTS;
        private RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(
                ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        private int concurrency = DEFAULT_CONCURRENCY;
        private int maxPerSecond;
        private int queueCapacity = OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY;
        private @Nullable Duration pollInterval;
        private Duration startDelay = Duration.ZERO;

        private Builder() {}

        /** Default: the outbox's batch size for reading, the listener's own for its calls. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Limits.atLeastOne(batchSize, "batchSize");
            return this;
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_MAX_ATTEMPTS}. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = Limits.atLeastOne(maxAttempts, "maxAttempts");
            return this;
        }

        /** Default: exponential, from 200 ms to 60 s. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** Default: {@value LanePolicy#DEFAULT_CONCURRENCY}. */
        public Builder concurrency(int concurrency) {
            this.concurrency = Limits.atLeastOne(concurrency, "concurrency");
            return this;
        }

        /** Default: no limit. */
        public Builder maxPerSecond(int maxPerSecond) {
            this.maxPerSecond = Limits.atLeastOne(maxPerSecond, "maxPerSecond");
            return this;
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_COLD_QUEUE_CAPACITY}. */
        public Builder queueCapacity(int queueCapacity) {
            this.queueCapacity = Limits.atLeastOne(queueCapacity, "queueCapacity");
            return this;
        }

        /** Default: the outbox's poll interval. */
        public Builder pollInterval(Duration pollInterval) {
            this.pollInterval = Limits.atLeastAMillisecond(pollInterval, "pollInterval");
            return this;
        }

        /** Default: zero. */
        public Builder startDelay(Duration startDelay) {
            this.startDelay = Limits.notNegative(startDelay, "startDelay");
            return this;
        }

        public LanePolicy build() {
            return new LanePolicy(this);
        }
    }
}
