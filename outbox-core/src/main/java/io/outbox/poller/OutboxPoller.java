package io.outbox.poller;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.PollSettings;
import io.outbox.internal.polling.PollTarget;
import io.outbox.internal.polling.PollingLoop;
import io.outbox.internal.watch.WatchedBackend;
import io.outbox.spi.Capability;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.store.StoreBackend;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds due events in the store and hands them to a handler: events that the hot path did not take, retries, delayed
 * events, and events of nodes that died. For applications that put the parts together themselves; {@link
 * io.outbox.Outbox} does it for the others.
 *
 * <p>Each run drains: a full batch is followed by the next at once, for as long as the handler has room. Between runs
 * the poller sleeps until the next event is due, until the handler calls, or for the interval, whichever comes first.
 * Thread-safe.
 */
public final class OutboxPoller implements AutoCloseable {

    public static final int DEFAULT_BATCH_SIZE = PollSettings.DEFAULT_BATCH_SIZE;
    public static final long DEFAULT_INTERVAL_MS = PollSettings.DEFAULT_INTERVAL_MS;
    public static final Duration DEFAULT_SKIP_RECENT = PollSettings.DEFAULT_SKIP_RECENT;

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    private final PollingLoop loop;

    private OutboxPoller(PollingLoop loop) {
        this.loop = loop;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts polling, unless it was started already. The first poll runs at once.
     *
     * @throws IllegalStateException if the poller is closed
     */
    public void start() {
        loop.start();
    }

    /** Runs one poll cycle on the calling thread: one batch of the oldest due events, of each feed. */
    public void poll() {
        loop.pollOnce();
    }

    /** Starts the next run immediately, for events that have become due unbeknown to the handler. */
    public void wakeUp() {
        loop.wakeUp();
    }

    /** Stops polling and waits for a cycle that is under way. */
    @Override
    public void close() {
        loop.close();
    }

    /** Builds an {@link OutboxPoller}; each builder builds one. Not thread-safe. */
    public static final class Builder {

        private final PollSettings settings = new PollSettings();
        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable OutboxBackend backend;
        private @Nullable OutboxPollerHandler handler;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private boolean built;

        private Builder() {}

        /** Required, together with {@link #outboxStore}, unless {@link #backend} is given. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
            return this;
        }

        /** Required, together with {@link #connectionProvider}, unless {@link #backend} is given. */
        public Builder outboxStore(OutboxStore outboxStore) {
            this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
            return this;
        }

        /** The storage engine, instead of {@link #connectionProvider} and {@link #outboxStore}. */
        public Builder backend(OutboxBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return this;
        }

        /** Required. */
        public Builder handler(OutboxPollerHandler handler) {
            this.handler = Objects.requireNonNull(handler, "handler");
            return this;
        }

        /** Leaves events alone that are younger than this. Default: zero. */
        public Builder skipRecent(Duration skipRecent) {
            settings.skipRecent(skipRecent);
            return this;
        }

        /** How many events are read at a time. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            settings.batchSize(batchSize);
            return this;
        }

        /** The longest sleep between runs. Default: {@value #DEFAULT_INTERVAL_MS}. */
        public Builder intervalMs(long intervalMs) {
            settings.intervalMs(intervalMs);
            return this;
        }

        /** Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Claims events under a name that no other node has, so that several nodes can share a store. */
        public Builder claimLocking(Duration lockTimeout) {
            return claimLocking(Lease.of(lockTimeout));
        }

        /** Claims events under the given name, which must differ between nodes, so that several can share a store. */
        public Builder claimLocking(String ownerId, Duration lockTimeout) {
            return claimLocking(new Lease(ownerId, lockTimeout));
        }

        /** Claims events under the given lease, so that several nodes can share a store. */
        public Builder claimLocking(Lease lease) {
            settings.lease(lease);
            return this;
        }

        /** When events of nodes that died are taken over. Default: with every poll, once their lease has run out. */
        public Builder stuckRecovery(StuckRecovery recovery) {
            settings.recovery(recovery);
            return this;
        }

        /** The clock that decides which events are due. Default: the system clock. */
        public Builder clock(Clock clock) {
            settings.clock(clock);
            return this;
        }

        /**
         * Builds the poller; {@link OutboxPoller#start()} sets it going.
         *
         * @throws NullPointerException if something required is missing
         * @throws IllegalStateException if the handler holds events under another lease, or on a second call
         */
        public OutboxPoller build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            Objects.requireNonNull(handler, "handler is required");
            DeliveryBackend store = delivery();
            if (settings.lease() != null && !store.supports(Capability.CLAIM)) {
                LOG.log(Level.WARNING, "This store cannot claim events, so they are only read: run one node");
                settings.withoutLease();
            }
            EngineMetrics engineMetrics = new EngineMetrics(metrics);
            PollTarget known = handler.unwrap(PollTarget.class);
            PollTarget target = known != null ? known : PollingLoop.target(handler, store, engineMetrics);
            DeliveryBackend watched = new WatchedBackend(store, target.watch());
            PollingLoop loop = new PollingLoop(watched, target, settings, engineMetrics);
            built = true;
            return new OutboxPoller(loop);
        }

        private DeliveryBackend delivery() {
            return backend != null
                    ? backend
                    : StoreBackend.forDelivery(
                            Objects.requireNonNull(connectionProvider, "connectionProvider is required"),
                            Objects.requireNonNull(outboxStore, "outboxStore is required"));
        }
    }
}
