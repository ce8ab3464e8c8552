package io.outbox;

import io.outbox.dead.DeadEventManager;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.model.EventCount;
import io.outbox.model.OutboxStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.poller.OutboxPoller;
import io.outbox.poller.StuckRecovery;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.StoreBackend;
import io.outbox.spi.TxContext;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * A complete outbox: a writer for business code, and behind it dispatcher, poller and purge as the chosen scenario
 * needs them, started and stopped together. Thread-safe.
 *
 * <p>An event of a committed transaction is delivered at least once, and exactly once while nothing fails; an event of a
 * rolled-back transaction is never delivered. Events written after {@link #close()} are stored, and delivered by the
 * next outbox on the same store.
 */
public final class Outbox implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Outbox.class.getName());

    private final OutboxBackend backend;
    private final OutboxWriter writer;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final OutboxPurgeScheduler purgeScheduler;
    private final Clock clock;
    private boolean started;
    private boolean closed;

    private Outbox(
            OutboxBackend backend,
            OutboxWriter writer,
            OutboxDispatcher dispatcher,
            OutboxPoller poller,
            OutboxPurgeScheduler purgeScheduler,
            Clock clock) {
        this.backend = backend;
        this.writer = writer;
        this.dispatcher = dispatcher;
        this.poller = poller;
        this.purgeScheduler = purgeScheduler;
        this.clock = clock;
    }

    /** One node delivers: right after commit, with the poller behind. */
    public static SingleNodeBuilder singleNode() {
        return new SingleNodeBuilder();
    }

    /** Several nodes share a store: as {@link #singleNode()}, with ownership of events in the store. */
    public static MultiNodeBuilder multiNode() {
        return new MultiNodeBuilder();
    }

    /** Events are delivered in the order they were written: by the poller alone, one at a time, without retries. */
    public static OrderedBuilder ordered() {
        return new OrderedBuilder();
    }

    /** Events are only written, for change data capture or for an outbox elsewhere to deliver. */
    public static WriterOnlyBuilder writerOnly() {
        return new WriterOnlyBuilder();
    }

    /** Returns the writer for business code. */
    public OutboxWriter writer() {
        return writer;
    }

    /** Returns access to this outbox's dead events. */
    public DeadEventManager deadEvents() {
        return poller == null ? new DeadEventManager(backend) : new DeadEventManager(backend, poller::wakeUp);
    }

    /**
     * Starts delivery, unless it runs already. Needed only after {@link AbstractBuilder#startManually()}.
     *
     * @throws IllegalStateException if this outbox is closed
     */
    public synchronized void start() {
        requireOpen();
        if (started) {
            return;
        }
        started = true;
        if (dispatcher != null) {
            dispatcher.start();
            poller.start();
        }
        if (purgeScheduler != null) {
            purgeScheduler.start();
        }
    }

    /**
     * Delivers everything that is due on the calling thread, and returns once it is done. For an outbox that was not
     * started: in tests, or where another scheduler is in charge.
     *
     * @return how many deliveries were made
     */
    public synchronized int deliverDue() {
        requireOpen();
        if (started || dispatcher == null) {
            throw new IllegalStateException(
                    "deliverDue() needs an outbox that delivers and was built with startManually() and not started");
        }
        int total = dispatcher.deliverQueued();
        int delivered;
        do {
            poller.poll();
            delivered = dispatcher.deliverQueued();
            total += delivered;
        } while (delivered > 0);
        return total;
    }

    /** Stops delivery: listeners finish what they have, all else waits in the store. Writing goes on. */
    public synchronized void pause() {
        requireOpen();
        requireDelivery();
        dispatcher.pause();
    }

    /** Delivers again after {@link #pause()}. */
    public synchronized void resume() {
        requireOpen();
        requireDelivery();
        dispatcher.resume();
    }

    private void requireDelivery() {
        if (dispatcher == null) {
            throw new IllegalStateException("This outbox only writes");
        }
    }

    /** Returns whether events are delivered. */
    public synchronized State state() {
        if (closed) {
            return State.CLOSED;
        }
        if (dispatcher == null) {
            return State.WRITER_ONLY;
        }
        if (!started) {
            return State.NOT_STARTED;
        }
        return dispatcher.isPaused() ? State.PAUSED : State.RUNNING;
    }

    /** Returns what this outbox does at the moment; asks the store. */
    public OutboxStatus status() {
        return new OutboxStatus(
                state(),
                dispatcher == null ? 0 : dispatcher.hotQueueDepth(),
                dispatcher == null ? 0 : dispatcher.coldQueueDepth(),
                backend.pending(clock.instant()),
                deadEvents().count(null),
                dispatcher == null ? List.of() : dispatcher.unavailableTypes());
    }

    /** Counts the events that are not finished, by type; asks the store. */
    public List<EventCount> counts() {
        List<EventCount> stored = backend.counts();
        return dispatcher == null
                ? stored
                : stored.stream().map(dispatcher::withHeld).toList();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The outbox is closed; build a new one");
        }
    }

    /**
     * Stops purge, poller and dispatcher, in this order. The dispatcher delivers what is queued for up to the drain
     * timeout; what is left goes back to the store.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        closeAll(purgeScheduler, poller, dispatcher);
    }

    private static void closeAll(AutoCloseable... components) {
        for (AutoCloseable component : components) {
            try {
                if (component != null) {
                    component.close();
                }
            } catch (Exception e) {
                LOG.log(Level.WARNING, "Failed to close " + component, e);
            }
        }
    }

    /**
     * What all scenarios have in common. Setters check their value, {@code build()} checks how they fit together; each
     * builder builds one outbox. Not thread-safe.
     */
    public abstract static sealed class AbstractBuilder<B extends AbstractBuilder<B>>
            permits SingleNodeBuilder, MultiNodeBuilder, OrderedBuilder, WriterOnlyBuilder {

        private ConnectionProvider connectionProvider;
        private TxContext txContext;
        private OutboxStore outboxStore;
        private OutboxBackend backend;
        private boolean purging;
        private EventPurger purger;
        private boolean manualStart;
        boolean hasLanes;
        private final List<WriterHook> writerHooks = new ArrayList<>();
        private boolean built;
        ListenerRegistry listenerRegistry;
        final OutboxDispatcher.Builder dispatcher = OutboxDispatcher.builder();
        final OutboxPoller.Builder poller = OutboxPoller.builder();
        private final OutboxPurgeScheduler.Builder purge = OutboxPurgeScheduler.builder();
        private MetricsExporter metrics = MetricsExporter.NOOP;
        Clock clock = Clock.systemUTC();

        private AbstractBuilder() {}

        abstract B self();

        /** Connections outside of business transactions. Required unless {@link #backend} is given. */
        public B connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
            return self();
        }

        /** The business transaction. Required unless {@link #backend} is given. */
        public B txContext(TxContext txContext) {
            this.txContext = Objects.requireNonNull(txContext, "txContext");
            return self();
        }

        /** The database's SQL. Required unless {@link #backend} is given. */
        public B outboxStore(OutboxStore outboxStore) {
            this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
            return self();
        }

        /** The storage engine, instead of connection provider, transaction context, store and purger. */
        public B backend(OutboxBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return self();
        }

        /** Where listeners are found. Required wherever events are delivered. */
        public B listenerRegistry(ListenerRegistry listenerRegistry) {
            this.listenerRegistry = Objects.requireNonNull(listenerRegistry, "listenerRegistry");
            return self();
        }

        /** Default: {@link MetricsExporter#NOOP}. */
        public B metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return self();
        }

        /** Adds an interceptor. */
        public B interceptor(EventInterceptor interceptor) {
            dispatcher.interceptor(interceptor);
            return self();
        }

        /** Adds interceptors, in order. */
        public B interceptors(List<EventInterceptor> interceptors) {
            dispatcher.interceptors(interceptors);
            return self();
        }

        /** The poller's longest sleep. Default: {@value OutboxPoller#DEFAULT_INTERVAL_MS}. */
        public B intervalMs(long intervalMs) {
            poller.intervalMs(intervalMs);
            return self();
        }

        /** How many events the poller reads at a time. Default: {@value OutboxPoller#DEFAULT_BATCH_SIZE}. */
        public B batchSize(int batchSize) {
            poller.batchSize(batchSize);
            return self();
        }

        /** The age below which the poller leaves events alone. Default: zero. */
        public B skipRecent(Duration skipRecent) {
            poller.skipRecent(skipRecent);
            return self();
        }

        /** How long close() goes on delivering. Default: {@value OutboxDispatcher#DEFAULT_DRAIN_TIMEOUT_MS}. */
        public B drainTimeoutMs(long drainTimeoutMs) {
            dispatcher.drainTimeoutMs(drainTimeoutMs);
            return self();
        }

        /** Deletes finished events with this purger. Default: events are kept. */
        public B purger(EventPurger purger) {
            this.purger = Objects.requireNonNull(purger, "purger");
            return self();
        }

        /**
         * How long finished events are kept. Default: 7 days. With {@link #backend}, setting it turns purging on; with
         * a store, {@link #purger} does.
         */
        public B purgeRetention(Duration retention) {
            purge.retention(retention);
            purging = true;
            return self();
        }

        /** How many events one purge transaction deletes. Default: {@value OutboxPurgeScheduler#DEFAULT_BATCH_SIZE}. */
        public B purgeBatchSize(int batchSize) {
            purge.batchSize(batchSize);
            return self();
        }

        /** The time between purges. Default: {@value OutboxPurgeScheduler#DEFAULT_INTERVAL_SECONDS}. */
        public B purgeIntervalSeconds(long intervalSeconds) {
            purge.intervalSeconds(intervalSeconds);
            return self();
        }

        /** The time from the start to the first purge. Default: none. */
        public B purgeInitialDelay(Duration initialDelay) {
            purge.initialDelay(initialDelay);
            return self();
        }

        /** Lets purges delete only DONE events, so that DEAD ones stay until they are replayed. */
        public B purgeKeepsDead() {
            purge.keepDead();
            return self();
        }

        /** The clock for due times, retries and retention. Default: the system clock. */
        public B clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            dispatcher.clock(clock);
            poller.clock(clock);
            purge.clock(clock);
            return self();
        }

        /** Makes the threads that call listeners. Default: daemon threads. */
        public B workerThreads(ThreadFactory threadFactory) {
            dispatcher.threadFactory(threadFactory);
            return self();
        }

        /** Adds a hook that accompanies writes, in front of the outbox's own. */
        public B writerHook(WriterHook writerHook) {
            writerHooks.add(Objects.requireNonNull(writerHook, "writerHook"));
            return self();
        }

        final WriterHook hooked(WriterHook own) {
            return writerHooks.isEmpty() ? own : new WriterHooks(writerHooks, own);
        }

        /** Gives an event type a lane of its own: queues, workers and settings isolated from all other types. */
        public B lane(String eventType, LanePolicy policy) {
            dispatcher.lane(eventType, policy);
            hasLanes = true;
            return self();
        }

        /** Leaves delivery stopped until {@link Outbox#start()}, so that listeners can be registered first. */
        public B startManually() {
            this.manualStart = true;
            return self();
        }

        /** Builds the outbox and, unless told otherwise, starts it. */
        public Outbox build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            OutboxBackend engine = engine();
            check(engine);
            OutboxPurgeScheduler purgeScheduler = purgeScheduler(engine);
            Outbox outbox = assemble(engine, purgeScheduler);
            built = true;
            if (!manualStart) {
                startOrClose(outbox);
            }
            return outbox;
        }

        /** Checks the settings of the scenario. */
        void check(OutboxBackend engine) {
            Objects.requireNonNull(listenerRegistry, "listenerRegistry is required");
        }

        abstract Outbox assemble(OutboxBackend engine, OutboxPurgeScheduler purgeScheduler);

        /** Assembles an outbox that delivers. */
        final Outbox delivering(OutboxBackend engine, OutboxPurgeScheduler purgeScheduler, boolean hotPath) {
            OutboxDispatcher builtDispatcher = dispatcher
                    .backend(engine)
                    .listenerRegistry(listenerRegistry)
                    .metrics(metrics)
                    .startManually()
                    .build();
            try {
                OutboxPoller builtPoller = poller.backend(engine)
                        .handler(new DispatcherPollerHandler(builtDispatcher))
                        .metrics(metrics)
                        .build();
                WriterHook hook = hotPath ? new DispatcherWriterHook(builtDispatcher, metrics) : WriterHook.NOOP;
                return new Outbox(
                        engine,
                        new DefaultOutboxWriter(engine, hooked(hook)),
                        builtDispatcher,
                        builtPoller,
                        purgeScheduler,
                        clock);
            } catch (RuntimeException | Error e) {
                builtDispatcher.close();
                throw e;
            }
        }

        private static void startOrClose(Outbox outbox) {
            try {
                outbox.start();
            } catch (RuntimeException | Error e) {
                outbox.close();
                throw e;
            }
        }

        private OutboxBackend engine() {
            if (backend == null) {
                return storeEngine();
            }
            if (connectionProvider != null || txContext != null || outboxStore != null || purger != null) {
                throw new IllegalStateException("backend is set, so connectionProvider, txContext, outboxStore and"
                        + " purger must not be: the backend brings its own");
            }
            return backend;
        }

        private OutboxBackend storeEngine() {
            Objects.requireNonNull(txContext, "txContext is required");
            Objects.requireNonNull(outboxStore, "outboxStore is required");
            if (connectionProvider == null && !needsConnections()) {
                return StoreBackend.forWriting(txContext, outboxStore);
            }
            Objects.requireNonNull(connectionProvider, "connectionProvider is required");
            return StoreBackend.of(connectionProvider, txContext, outboxStore, purger);
        }

        boolean needsConnections() {
            return true;
        }

        final boolean hasPurger() {
            return purger != null;
        }

        private OutboxPurgeScheduler purgeScheduler(OutboxBackend engine) {
            boolean wanted = backend != null ? purging : purger != null;
            return wanted ? purge.backend(engine).metrics(metrics).build() : null;
        }
    }

    /** Applies a setting and returns the builder, for setters that two builders have in common. */
    private static <B> B with(B builder, Consumer<B> setting) {
        setting.accept(builder);
        return builder;
    }

    /** Builds an outbox for one node. */
    public static final class SingleNodeBuilder extends AbstractBuilder<SingleNodeBuilder> {

        private SingleNodeBuilder() {}

        /** How many events are processed at the same time. Default: {@value OutboxDispatcher#DEFAULT_WORKER_COUNT}. */
        public SingleNodeBuilder workerCount(int workerCount) {
            return with(this, b -> dispatcher.workerCount(workerCount));
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_HOT_QUEUE_CAPACITY}. */
        public SingleNodeBuilder hotQueueCapacity(int hotQueueCapacity) {
            return with(this, b -> dispatcher.hotQueueCapacity(hotQueueCapacity));
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_COLD_QUEUE_CAPACITY}. */
        public SingleNodeBuilder coldQueueCapacity(int coldQueueCapacity) {
            return with(this, b -> dispatcher.coldQueueCapacity(coldQueueCapacity));
        }

        /** How often an event is tried before it goes DEAD. Default: {@value OutboxDispatcher#DEFAULT_MAX_ATTEMPTS}. */
        public SingleNodeBuilder maxAttempts(int maxAttempts) {
            return with(this, b -> dispatcher.maxAttempts(maxAttempts));
        }

        /** Default: exponential, from 200 ms to 60 s. */
        public SingleNodeBuilder retryPolicy(RetryPolicy retryPolicy) {
            return with(this, b -> dispatcher.retryPolicy(retryPolicy));
        }

        @Override
        SingleNodeBuilder self() {
            return this;
        }

        @Override
        Outbox assemble(OutboxBackend engine, OutboxPurgeScheduler purgeScheduler) {
            return delivering(engine, purgeScheduler, true);
        }
    }

    /** Builds an outbox for one of several nodes that share a store. */
    public static final class MultiNodeBuilder extends AbstractBuilder<MultiNodeBuilder> {

        private Lease lease;

        private MultiNodeBuilder() {}

        /** How many events are processed at the same time. Default: {@value OutboxDispatcher#DEFAULT_WORKER_COUNT}. */
        public MultiNodeBuilder workerCount(int workerCount) {
            return with(this, b -> dispatcher.workerCount(workerCount));
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_HOT_QUEUE_CAPACITY}. */
        public MultiNodeBuilder hotQueueCapacity(int hotQueueCapacity) {
            return with(this, b -> dispatcher.hotQueueCapacity(hotQueueCapacity));
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_COLD_QUEUE_CAPACITY}. */
        public MultiNodeBuilder coldQueueCapacity(int coldQueueCapacity) {
            return with(this, b -> dispatcher.coldQueueCapacity(coldQueueCapacity));
        }

        /** How often an event is tried before it goes DEAD. Default: {@value OutboxDispatcher#DEFAULT_MAX_ATTEMPTS}. */
        public MultiNodeBuilder maxAttempts(int maxAttempts) {
            return with(this, b -> dispatcher.maxAttempts(maxAttempts));
        }

        /** Default: exponential, from 200 ms to 60 s. */
        public MultiNodeBuilder retryPolicy(RetryPolicy retryPolicy) {
            return with(this, b -> dispatcher.retryPolicy(retryPolicy));
        }

        /**
         * Required. Holds events under a name that no other node has. A live node keeps its events however long they
         * take; those of a node that died are taken over once the lock timeout has passed.
         */
        public MultiNodeBuilder claimLocking(Duration lockTimeout) {
            this.lease = Lease.of(lockTimeout);
            return this;
        }

        /** As {@link #claimLocking(Duration)}, under the given name, which must differ between nodes. */
        public MultiNodeBuilder claimLocking(String ownerId, Duration lockTimeout) {
            this.lease = new Lease(ownerId, lockTimeout);
            return this;
        }

        /** When events of nodes that died are taken over. Default: with every poll, once their lock has timed out. */
        public MultiNodeBuilder stuckRecovery(StuckRecovery recovery) {
            return with(this, b -> poller.stuckRecovery(recovery));
        }

        @Override
        MultiNodeBuilder self() {
            return this;
        }

        @Override
        void check(OutboxBackend engine) {
            super.check(engine);
            if (lease == null) {
                throw new IllegalStateException("Multi-node mode needs claimLocking(...), so that nodes do not deliver"
                        + " each other's events; for one node use Outbox.singleNode()");
            }
            if (!engine.supportsClaiming()) {
                throw new IllegalStateException("Multi-node mode needs a store that can claim events (an"
                        + " OwnershipStore); this one cannot: use Outbox.singleNode() on one node");
            }
        }

        @Override
        Outbox assemble(OutboxBackend engine, OutboxPurgeScheduler purgeScheduler) {
            dispatcher.lease(lease);
            poller.claimLocking(lease);
            return delivering(engine, purgeScheduler, true);
        }
    }

    /** Builds an outbox that delivers in order. */
    public static final class OrderedBuilder extends AbstractBuilder<OrderedBuilder> {

        private OrderedBuilder() {}

        @Override
        OrderedBuilder self() {
            return this;
        }

        @Override
        void check(OutboxBackend engine) {
            super.check(engine);
            if (hasLanes) {
                throw new IllegalStateException(
                        "Ordered mode delivers one event after the other, so no event type can have a lane of its own");
            }
        }

        @Override
        Outbox assemble(OutboxBackend engine, OutboxPurgeScheduler purgeScheduler) {
            dispatcher.workerCount(1).maxAttempts(1).strictOrder();
            return delivering(engine, purgeScheduler, false);
        }
    }

    /** Builds an outbox that only writes; delivery settings are ignored. */
    public static final class WriterOnlyBuilder extends AbstractBuilder<WriterOnlyBuilder> {

        private WriterOnlyBuilder() {}

        @Override
        WriterOnlyBuilder self() {
            return this;
        }

        @Override
        boolean needsConnections() {
            return hasPurger();
        }

        @Override
        void check(OutboxBackend engine) {
            // nothing is delivered, so no listener is needed
        }

        @Override
        Outbox assemble(OutboxBackend engine, OutboxPurgeScheduler purgeScheduler) {
            return new Outbox(
                    engine,
                    new DefaultOutboxWriter(engine, hooked(WriterHook.NOOP)),
                    null,
                    null,
                    purgeScheduler,
                    clock);
        }
    }
}
