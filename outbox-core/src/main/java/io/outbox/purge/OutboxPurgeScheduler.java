package io.outbox.purge;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Limits;
import io.outbox.spi.MetricsExporter;
import io.outbox.store.StoreBackend;
import io.outbox.upkeep.Chores;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Deletes DONE events, and DEAD ones unless they are kept, once they are older than the retention: in batches, each in
 * its own transaction, until nothing is left to delete. Thread-safe.
 */
public final class OutboxPurgeScheduler implements AutoCloseable {

    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final long DEFAULT_INTERVAL_SECONDS = 3600;

    private static final System.Logger LOG = System.getLogger(OutboxPurgeScheduler.class.getName());

    private final HousekeepingBackend backend;
    private final Duration retention;
    private final int batchSize;
    private final long intervalSeconds;
    private final Duration initialDelay;
    private final boolean keepDead;
    private final EngineMetrics metrics;
    private final Clock clock;
    private final Chores chores = new Chores("purge scheduler", "outbox-purge-");
    private final Outage outage =
            new Outage(LOG, Level.ERROR, "Purge failed; the next run tries again", "Purge works again");

    private OutboxPurgeScheduler(Builder builder) {
        this.backend = builder.backend();
        this.retention = builder.retention;
        this.batchSize = builder.batchSize;
        this.intervalSeconds = builder.intervalSeconds;
        this.initialDelay = builder.initialDelay;
        this.keepDead = builder.keepDead;
        this.metrics = new EngineMetrics(builder.metrics);
        this.clock = builder.clock;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts the schedule, unless it was started already. */
    public void start() {
        chores.start(() -> chores.repeat(initialDelay, Duration.ofSeconds(intervalSeconds), this::runOnce));
    }

    /** Deletes everything that is older than the retention now. Failures are logged; the next run tries again. */
    public void runOnce() {
        Instant before = clock.instant().minus(retention);
        long purged = chores.inBatches(
                outage, batchSize, size -> keepDead ? backend.purgeDone(before, size) : backend.purge(before, size));
        if (purged > 0) {
            metrics.incrementPurged(purged);
            LOG.log(Level.INFO, "Purged {0} finished events older than {1}", purged, retention);
        }
    }

    /** Stops the schedule; a run that is under way ends after its current batch. */
    @Override
    public void close() {
        chores.close();
    }

    /** Builds an {@link OutboxPurgeScheduler}; each builder builds one. Not thread-safe. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable EventPurger purger;
        private @Nullable HousekeepingBackend backend;
        private Duration retention = DEFAULT_RETENTION;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private long intervalSeconds = DEFAULT_INTERVAL_SECONDS;
        private Duration initialDelay = Duration.ZERO;
        private boolean keepDead;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private Clock clock = Clock.systemUTC();
        private boolean built;

        private Builder() {}

        /** Required, together with {@link #purger}, unless {@link #backend} is given. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
            return this;
        }

        /** Required, together with {@link #connectionProvider}, unless {@link #backend} is given. */
        public Builder purger(EventPurger purger) {
            this.purger = Objects.requireNonNull(purger, "purger");
            return this;
        }

        /** The storage engine, instead of {@link #connectionProvider} and {@link #purger}. */
        public Builder backend(HousekeepingBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return this;
        }

        /** How long finished events are kept. Default: 7 days. */
        public Builder retention(Duration retention) {
            this.retention = Limits.notNegative(retention, "retention");
            return this;
        }

        /** How many events one transaction deletes. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Limits.atLeastOne(batchSize, "batchSize");
            return this;
        }

        /** The time between runs. Default: {@value #DEFAULT_INTERVAL_SECONDS}. */
        public Builder intervalSeconds(long intervalSeconds) {
            this.intervalSeconds = Limits.atLeastOne(intervalSeconds, "intervalSeconds");
            return this;
        }

        /** The time from the start to the first run. Default: none. */
        public Builder initialDelay(Duration initialDelay) {
            this.initialDelay = Limits.notNegative(initialDelay, "initialDelay");
            return this;
        }

        /** Deletes only DONE events, so that DEAD ones stay until they are replayed. */
        public Builder keepDead() {
            this.keepDead = true;
            return this;
        }

        /** Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** The clock by which the age of events is measured. Default: the system clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Builds the scheduler; {@link OutboxPurgeScheduler#start()} sets it going. */
        public OutboxPurgeScheduler build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            OutboxPurgeScheduler scheduler = new OutboxPurgeScheduler(this);
            built = true;
            return scheduler;
        }

        private HousekeepingBackend backend() {
            return backend != null
                    ? backend
                    : StoreBackend.forPurge(
                            Objects.requireNonNull(connectionProvider, "connectionProvider is required"),
                            Objects.requireNonNull(purger, "purger is required"));
        }
    }
}
