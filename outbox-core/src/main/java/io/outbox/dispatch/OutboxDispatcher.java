package io.outbox.dispatch;

import io.outbox.CompletionListener;
import io.outbox.internal.delivery.DeliveryEngine;
import io.outbox.internal.delivery.DeliverySettings;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.ContextPropagator;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.store.StoreBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Delivers events: bounded hot and cold queues, a pool of workers that call listeners synchronously, and a stage that
 * makes outcomes durable in batches. For applications that put the parts together themselves; {@link io.outbox.Outbox}
 * does it for the others.
 *
 * <p>Delivery is at least once; while no process, network or database fails, it is exactly once. Slow listeners keep
 * workers busy, queues fill up, and further events stay in the store. Thread-safe.
 */
public final class OutboxDispatcher implements AutoCloseable {

    public static final int DEFAULT_WORKER_COUNT = DeliverySettings.DEFAULT_WORKER_COUNT;
    public static final int DEFAULT_HOT_QUEUE_CAPACITY = DeliverySettings.DEFAULT_HOT_QUEUE_CAPACITY;
    public static final int DEFAULT_COLD_QUEUE_CAPACITY = DeliverySettings.DEFAULT_COLD_QUEUE_CAPACITY;
    public static final int DEFAULT_MAX_ATTEMPTS = DeliverySettings.DEFAULT_MAX_ATTEMPTS;
    public static final long DEFAULT_DRAIN_TIMEOUT_MS = DeliverySettings.DEFAULT_DRAIN_TIMEOUT_MS;

    /** 10 minutes. */
    public static final Duration DEFAULT_UNROUTABLE_GRACE = DeliverySettings.DEFAULT_UNROUTABLE_GRACE;

    /** {@link StackTraces#SHORT}. */
    public static final StackTraces DEFAULT_STACK_TRACES = DeliverySettings.DEFAULT_STACK_TRACES;

    private final DeliveryEngine engine;
    private final MetricsExporter metrics;

    private OutboxDispatcher(DeliveryEngine engine, MetricsExporter metrics) {
        this.engine = engine;
        this.metrics = metrics;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts the workers, unless they run already. Needed only after {@link Builder#startManually()}. */
    public void start() {
        engine.start();
    }

    /**
     * Queues an event of a committed transaction; returns false if the queue is full or the dispatcher is closed. An
     * event that is in flight already is dropped and counts as accepted.
     */
    public boolean enqueueHot(QueuedEvent event) {
        return engine.enqueueHot(event);
    }

    /**
     * Queues an event read from the store; returns false if the queue is full or the dispatcher is closed. An event
     * that is in flight already is dropped and counts as accepted.
     */
    public boolean enqueueCold(QueuedEvent event) {
        return engine.enqueueCold(event);
    }

    /** Returns the number of free places in the cold queue; event types with a lane have separate queues. */
    public int coldQueueRemainingCapacity() {
        return engine.coldQueueRemainingCapacity();
    }

    /**
     * Stops: refuses further events, delivers those queued for up to the drain timeout, then interrupts the workers,
     * and gives every event that was not delivered back to the store, so that nothing waits for a lock to run out.
     */
    @Override
    public void close() {
        engine.close();
    }

    DeliveryEngine engine() {
        return engine;
    }

    MetricsExporter metrics() {
        return metrics;
    }

    /** Builds an {@link OutboxDispatcher}; each builder builds one. Not thread-safe. */
    public static final class Builder {

        private final DeliverySettings settings = new DeliverySettings();
        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable DeliveryBackend backend;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private boolean manualStart;
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
        public Builder backend(DeliveryBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return this;
        }

        /** Required. */
        public Builder listenerRegistry(ListenerRegistry listenerRegistry) {
            settings.listenerRegistry(listenerRegistry);
            return this;
        }

        /** Default: a {@link DefaultInFlightTracker}. */
        public Builder inFlightTracker(InFlightTracker inFlightTracker) {
            settings.inFlightTracker(inFlightTracker);
            return this;
        }

        /** Default: an {@link ExponentialBackoffRetryPolicy} from 200 ms to 60 s. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            settings.retryPolicy(retryPolicy);
            return this;
        }

        /** How often an event is tried before it goes DEAD. Default: {@value #DEFAULT_MAX_ATTEMPTS}. */
        public Builder maxAttempts(int maxAttempts) {
            settings.maxAttempts(maxAttempts);
            return this;
        }

        /** How much of the stack trace of a failed attempt is stored. Default: {@link #DEFAULT_STACK_TRACES}. */
        public Builder stackTraces(StackTraces stackTraces) {
            settings.stackTraces(stackTraces);
            return this;
        }

        /** How many events are processed at the same time. Default: {@value #DEFAULT_WORKER_COUNT}. */
        public Builder workerCount(int workerCount) {
            settings.workerCount(workerCount);
            return this;
        }

        /** Default: {@value #DEFAULT_HOT_QUEUE_CAPACITY}. */
        public Builder hotQueueCapacity(int hotQueueCapacity) {
            settings.hotQueueCapacity(hotQueueCapacity);
            return this;
        }

        /** Default: {@value #DEFAULT_COLD_QUEUE_CAPACITY}. */
        public Builder coldQueueCapacity(int coldQueueCapacity) {
            settings.coldQueueCapacity(coldQueueCapacity);
            return this;
        }

        /** Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Adds an interceptor. */
        public Builder interceptor(EventInterceptor interceptor) {
            settings.interceptor(interceptor);
            return this;
        }

        /** Adds interceptors, in order. */
        public Builder interceptors(List<EventInterceptor> interceptors) {
            settings.interceptors(interceptors);
            return this;
        }

        /** How long {@link #close} continues to deliver. Default: {@value #DEFAULT_DRAIN_TIMEOUT_MS}. */
        public Builder drainTimeoutMs(long drainTimeoutMs) {
            settings.drainTimeoutMs(drainTimeoutMs);
            return this;
        }

        /** The clock for retry times. Default: the system clock. */
        public Builder clock(Clock clock) {
            settings.clock(clock);
            return this;
        }

        /** Makes the worker threads. Default: daemon threads. */
        public Builder threadFactory(ThreadFactory threadFactory) {
            settings.threadFactory(threadFactory);
            return this;
        }

        /** Holds events by locks in a store that other nodes share. Default: none, the store has one node. */
        public Builder lease(Lease lease) {
            settings.lease(lease);
            return this;
        }

        /**
         * How long, among several nodes, an event that has no listener here is left to the others before it goes DEAD.
         * Zero for not at all. Default: {@link #DEFAULT_UNROUTABLE_GRACE}.
         */
        public Builder unroutableGrace(Duration grace) {
            settings.unroutableGrace(grace);
            return this;
        }

        /** Gives an event type its own lane, isolated from all other types. */
        public Builder lane(String eventType, LanePolicy policy) {
            settings.lane(eventType, policy);
            return this;
        }

        /** Keeps batches of a batch listener from passing over events of other routes. */
        public Builder strictOrder() {
            settings.strictOrder();
            return this;
        }

        /** Leaves the workers stopped until {@link OutboxDispatcher#start()}; events can be queued meanwhile. */
        public Builder startManually() {
            this.manualStart = true;
            return this;
        }

        /**
         * Adds a callback for events whose end is durable. Several are called in the order in which they were added.
         */
        public Builder completionListener(CompletionListener completionListener) {
            settings.completionListener(completionListener);
            return this;
        }

        /**
         * Carries a context of the application from the write of an event, where a {@link DispatcherWriterHook}
         * captures it, to its listener. Several are restored in the order in which they were added.
         */
        public Builder contextPropagator(ContextPropagator contextPropagator) {
            settings.contextPropagator(contextPropagator);
            return this;
        }

        /**
         * Builds the dispatcher and starts its workers.
         *
         * @throws NullPointerException if something required is missing
         * @throws IllegalStateException if the store cannot do what the settings ask for, or on a second call
         */
        public OutboxDispatcher build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            DeliveryEngine engine = new DeliveryEngine(backend(), settings, new EngineMetrics(metrics));
            built = true;
            if (!manualStart) {
                engine.start();
            }
            return new OutboxDispatcher(engine, metrics);
        }

        private DeliveryBackend backend() {
            return backend != null
                    ? backend
                    : StoreBackend.forDelivery(
                            Objects.requireNonNull(connectionProvider, "connectionProvider is required"),
                            Objects.requireNonNull(outboxStore, "outboxStore is required"));
        }
    }
}
