package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.OwnedEvents.Hold;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.StoreBackend;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Delivers events: bounded hot and cold queues, a pool of workers that call listeners synchronously, and a stage that
 * makes outcomes durable in batches.
 *
 * <p>Delivery is at least once; while no process, network or database fails, it is exactly once (see
 * {@code OwnedEvents} for how). Slow listeners keep workers busy, queues fill up, and further events stay in the store.
 * Thread-safe.
 */
public final class OutboxDispatcher implements AutoCloseable {

    public static final int DEFAULT_WORKER_COUNT = 4;
    public static final int DEFAULT_HOT_QUEUE_CAPACITY = 1000;
    public static final int DEFAULT_COLD_QUEUE_CAPACITY = 1000;
    public static final int DEFAULT_MAX_ATTEMPTS = 10;
    public static final long DEFAULT_DRAIN_TIMEOUT_MS = 5000;

    private static final System.Logger LOG = System.getLogger(OutboxDispatcher.class.getName());
    private static final long INTERRUPT_GRACE_MS = 1000;
    private static final long LEASE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final OutboxBackend backend;
    private final MetricsExporter metrics;
    private final OwnedEvents owned;
    private final DispatchQueue queue;
    private final EventProcessor processor;
    private final CompletionWriter completion;
    private final ExecutorService workers;
    private final int workerCount;
    private final int coldQueueCapacity;
    private final long drainTimeoutMs;
    private final AtomicReference<Runnable> capacityWaiter = new AtomicReference<>();
    private volatile Consumer<Instant> dueListener = due -> {};
    private volatile LeaseKeeper leaseKeeper;
    private volatile boolean closed;
    private volatile boolean forced;
    private boolean started;

    private OutboxDispatcher(Builder builder) {
        this.backend = builder.backend();
        this.metrics = builder.metrics;
        this.owned = new OwnedEvents(builder.inFlightTracker);
        this.queue = new DispatchQueue(builder.hotQueueCapacity, builder.coldQueueCapacity, builder.strictOrder);
        this.processor = new EventProcessor(
                builder.listenerRegistry,
                builder.interceptors,
                new EventProcessor.RetrySettings(builder.retryPolicy, builder.maxAttempts),
                metrics,
                builder.clock);
        this.completion = new CompletionWriter(backend, owned, metrics, due -> dueListener.accept(due));
        this.workerCount = builder.workerCount;
        this.workers = Executors.newFixedThreadPool(workerCount, builder.threadFactory);
        this.coldQueueCapacity = builder.coldQueueCapacity;
        this.drainTimeoutMs = builder.drainTimeoutMs;
        if (builder.lease != null) {
            holdUnder(builder.lease);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts the workers, unless they run already. Needed only after {@link Builder#startManually()}. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("The dispatcher is closed; build a new one");
        }
        if (!started) {
            started = true;
            completion.start();
            for (int i = 0; i < workerCount; i++) {
                workers.execute(this::work);
            }
        }
    }

    /**
     * Queues an event of a committed transaction; returns false if the queue is full or the dispatcher is closed. An
     * event that is in flight already is dropped and counts as accepted.
     */
    public boolean enqueueHot(QueuedEvent event) {
        Hold hold = owned.confirm(event.eventId());
        if (hold == null) {
            hold = owned.acquire(event.eventId());
        }
        return hold == null || enqueue(new Delivery(event, hold));
    }

    /**
     * Queues an event read from the store; returns false if the queue is full or the dispatcher is closed. An event that
     * is in flight already is dropped and counts as accepted.
     */
    public boolean enqueueCold(QueuedEvent event) {
        LeaseKeeper keeper = leaseKeeper;
        Hold hold = keeper == null
                ? owned.acquire(event.eventId())
                : owned.acquireClaimed(event.eventId(), keeper.lease().ownerId());
        return hold == null || enqueue(new Delivery(event, hold));
    }

    private boolean enqueue(Delivery delivery) {
        if (!queue.offer(delivery)) {
            completion.release(delivery.hold());
            return false;
        }
        if (delivery.event().source() == Source.HOT) {
            metrics.incrementHotEnqueued();
        } else {
            metrics.incrementColdEnqueued();
        }
        metrics.recordQueueDepths(queue.hotSize(), queue.coldSize());
        return true;
    }

    /** Returns the number of free places in the cold queue. */
    public int coldQueueRemainingCapacity() {
        return queue.coldRemaining();
    }

    /** Delivers what is queued on the calling thread, for a dispatcher that was not started; returns how many events. */
    public int deliverQueued() {
        int delivered = 0;
        for (List<Delivery> batch; !(batch = queue.poll(processor::batchSize)).isEmpty(); ) {
            deliver(batch);
            completion.flush();
            delivered += batch.size();
        }
        return delivered;
    }

    /**
     * Stops: refuses further events, delivers those queued for up to the drain timeout, then interrupts the workers,
     * and gives every event that was not delivered back to the store, so that nothing waits for a lock to run out.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        queue.close();
        workers.shutdown();
        try {
            if (started && !workers.awaitTermination(drainTimeoutMs, TimeUnit.MILLISECONDS)) {
                forced = true;
                giveUpQueued();
                workers.shutdownNow();
                workers.awaitTermination(INTERRUPT_GRACE_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            forced = true;
            workers.shutdownNow();
            Thread.currentThread().interrupt();
        }
        giveUpQueued();
        completion.close(Duration.ofMillis(Math.max(drainTimeoutMs, INTERRUPT_GRACE_MS)));
        if (leaseKeeper != null) {
            leaseKeeper.close();
        }
    }

    private void giveUpQueued() {
        List<Delivery> left = queue.clear();
        if (!left.isEmpty()) {
            LOG.log(Level.INFO, "{0} queued events go back to the store", left.size());
            left.forEach(delivery -> completion.release(delivery.hold()));
        }
    }

    private void work() {
        while (true) {
            try {
                List<Delivery> batch = queue.take(processor::batchSize);
                if (batch.isEmpty()) {
                    return;
                }
                announceCapacity();
                metrics.recordQueueDepths(queue.hotSize(), queue.coldSize());
                deliver(batch);
            } catch (InterruptedException e) {
                if (forced) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "A worker failed outside of a listener; it carries on", e);
            }
        }
    }

    private void deliver(List<Delivery> batch) {
        List<Delivery> secured = batch.stream().filter(this::secure).toList();
        if (secured.isEmpty()) {
            return;
        }
        secured.forEach(delivery -> metrics.recordDispatchLatencyMs(
                TimeUnit.NANOSECONDS.toMillis(delivery.hold().queuedNanos())));
        List<Outcome> outcomes =
                processor.process(secured.stream().map(Delivery::event).toList());
        boolean cutShort = forced;
        Thread.interrupted(); // an interrupt meant for the listener must not disturb the worker
        for (int i = 0; i < outcomes.size(); i++) {
            if (cutShort && outcomes.get(i) instanceof Outcome.Failed) {
                completion.release(secured.get(i).hold());
            } else {
                completion.submit(secured.get(i), outcomes.get(i));
            }
        }
    }

    /** Returns whether this node certainly still owns the event; if another one does, lets go of it. */
    private boolean secure(Delivery delivery) {
        LeaseKeeper keeper = leaseKeeper;
        if (keeper == null) {
            return true;
        }
        while (!forced) {
            try {
                if (keeper.secure(delivery.hold())) {
                    return true;
                }
                completion.drop(delivery.hold());
                return false;
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "Cannot renew the lock of event " + delivery.eventId() + " yet", e);
                LockSupport.parkNanos(LEASE_RETRY_NANOS);
            }
        }
        completion.release(delivery.hold());
        return false;
    }

    // What the writer hook and the poller handler need

    /** Returns the owner under which new events are to be written, or {@code null} if they must not be held. */
    String ownerForNewEvents() {
        LeaseKeeper keeper = leaseKeeper;
        return keeper == null || closed || queue.hotRemaining() == 0
                ? null
                : keeper.lease().ownerId();
    }

    /** Returns whether events are held by a lock in a shared store. */
    boolean holdsByLease() {
        return leaseKeeper != null;
    }

    void reserve(EventEnvelope event, String ownerId) {
        owned.reserve(event.eventId(), ownerId);
    }

    /** Gives up the reservation of an event whose transaction did not surely commit. */
    void cancel(EventEnvelope event) {
        owned.wasStolen(event.eventId());
        Hold hold = owned.confirm(event.eventId());
        if (hold != null) {
            completion.release(hold);
        }
    }

    /** Queues an event whose commit callback has come; returns false if it is left to the poller. */
    boolean enqueueCommitted(EventEnvelope event) {
        if (owned.wasStolen(event.eventId())) {
            return true;
        }
        QueuedEvent queued = new QueuedEvent(event, Source.HOT, 0);
        if (!holdsByLease()) {
            return enqueueHot(queued);
        }
        Hold hold = owned.confirm(event.eventId());
        return hold != null && enqueue(new Delivery(queued, hold));
    }

    /** Tells the poller that an event will be due, or that one that is due was left to it. */
    void announceDue(Instant due) {
        dueListener.accept(due);
    }

    void onDue(Consumer<Instant> listener) {
        dueListener = listener;
    }

    synchronized void holdUnder(Lease lease) {
        if (leaseKeeper == null) {
            leaseKeeper = new LeaseKeeper(lease, backend, owned, metrics);
        } else if (!leaseKeeper.lease().equals(lease)) {
            throw new IllegalStateException("The dispatcher holds events as " + leaseKeeper.lease()
                    + ", so its poller cannot claim them as " + lease);
        }
    }

    void scanStarted() {
        owned.scanStarted();
    }

    void scanEnded() {
        owned.scanEnded();
    }

    int heldEvents() {
        return owned.size();
    }

    MetricsExporter metrics() {
        return metrics;
    }

    /** Runs the action once, as soon as half of the cold queue is free. */
    void whenCapacityFrees(Runnable action) {
        capacityWaiter.set(action);
        announceCapacity();
    }

    private void announceCapacity() {
        if (capacityWaiter.get() != null && queue.coldRemaining() * 2 >= coldQueueCapacity) {
            Runnable waiter = capacityWaiter.getAndSet(null);
            if (waiter != null) {
                waiter.run();
            }
        }
    }

    /** Builds an {@link OutboxDispatcher}; each builder builds one. Not thread-safe. */
    public static final class Builder {

        private ConnectionProvider connectionProvider;
        private OutboxStore outboxStore;
        private OutboxBackend backend;
        private ListenerRegistry listenerRegistry;
        private InFlightTracker inFlightTracker = new DefaultInFlightTracker();
        private RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(
                ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private int workerCount = DEFAULT_WORKER_COUNT;
        private int hotQueueCapacity = DEFAULT_HOT_QUEUE_CAPACITY;
        private int coldQueueCapacity = DEFAULT_COLD_QUEUE_CAPACITY;
        private long drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private final List<EventInterceptor> interceptors = new ArrayList<>();
        private Clock clock = Clock.systemUTC();
        private ThreadFactory threadFactory = new DaemonThreadFactory("outbox-worker-");
        private Lease lease;
        private boolean strictOrder;
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
        public Builder backend(OutboxBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return this;
        }

        /** Required. */
        public Builder listenerRegistry(ListenerRegistry listenerRegistry) {
            this.listenerRegistry = Objects.requireNonNull(listenerRegistry, "listenerRegistry");
            return this;
        }

        /** Default: a {@link DefaultInFlightTracker}. */
        public Builder inFlightTracker(InFlightTracker inFlightTracker) {
            this.inFlightTracker = Objects.requireNonNull(inFlightTracker, "inFlightTracker");
            return this;
        }

        /** Default: an {@link ExponentialBackoffRetryPolicy} from 200 ms to 60 s. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** How often an event is tried before it goes DEAD. Default: {@value #DEFAULT_MAX_ATTEMPTS}. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = atLeastOne(maxAttempts, "maxAttempts");
            return this;
        }

        /** How many events are processed at the same time. Default: {@value #DEFAULT_WORKER_COUNT}. */
        public Builder workerCount(int workerCount) {
            this.workerCount = atLeastOne(workerCount, "workerCount");
            return this;
        }

        /** Default: {@value #DEFAULT_HOT_QUEUE_CAPACITY}. */
        public Builder hotQueueCapacity(int hotQueueCapacity) {
            this.hotQueueCapacity = atLeastOne(hotQueueCapacity, "hotQueueCapacity");
            return this;
        }

        /** Default: {@value #DEFAULT_COLD_QUEUE_CAPACITY}. */
        public Builder coldQueueCapacity(int coldQueueCapacity) {
            this.coldQueueCapacity = atLeastOne(coldQueueCapacity, "coldQueueCapacity");
            return this;
        }

        /** Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Adds an interceptor. */
        public Builder interceptor(EventInterceptor interceptor) {
            interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
            return this;
        }

        /** Adds interceptors, in order. */
        public Builder interceptors(List<EventInterceptor> interceptors) {
            Objects.requireNonNull(interceptors, "interceptors").forEach(this::interceptor);
            return this;
        }

        /** How long {@link #close} goes on delivering. Default: {@value #DEFAULT_DRAIN_TIMEOUT_MS}. */
        public Builder drainTimeoutMs(long drainTimeoutMs) {
            if (drainTimeoutMs < 0) {
                throw new IllegalArgumentException("drainTimeoutMs must not be negative: " + drainTimeoutMs);
            }
            this.drainTimeoutMs = drainTimeoutMs;
            return this;
        }

        /** The clock for retry times. Default: the system clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Makes the worker threads. Default: daemon threads. */
        public Builder threadFactory(ThreadFactory threadFactory) {
            this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory");
            return this;
        }

        /** Holds events by locks in a store that other nodes share. Default: none, the store has one node. */
        public Builder lease(Lease lease) {
            this.lease = Objects.requireNonNull(lease, "lease");
            return this;
        }

        /** Keeps batches of a batch listener from passing over events of other routes. */
        public Builder strictOrder() {
            this.strictOrder = true;
            return this;
        }

        /** Leaves the workers stopped until {@link OutboxDispatcher#start()}; events can be queued meanwhile. */
        public Builder startManually() {
            this.manualStart = true;
            return this;
        }

        /** Builds the dispatcher and starts its workers. */
        public OutboxDispatcher build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            Objects.requireNonNull(listenerRegistry, "listenerRegistry is required");
            if (lease != null && !backend().supportsClaiming()) {
                throw new IllegalStateException("A lease needs a store that can claim events; this one cannot");
            }
            OutboxDispatcher dispatcher = new OutboxDispatcher(this);
            built = true;
            if (!manualStart) {
                dispatcher.start();
            }
            return dispatcher;
        }

        private OutboxBackend backend() {
            if (backend == null) {
                backend = StoreBackend.forDelivery(
                        Objects.requireNonNull(connectionProvider, "connectionProvider is required"),
                        Objects.requireNonNull(outboxStore, "outboxStore is required"));
            }
            return backend;
        }

        private static int atLeastOne(int value, String name) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " must be at least 1: " + value);
            }
            return value;
        }
    }
}
