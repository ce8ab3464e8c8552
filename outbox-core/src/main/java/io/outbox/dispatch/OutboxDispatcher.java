package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.OwnedEvents.Hold;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.model.EventCount;
import io.outbox.poller.PollerFeed;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.StoreBackend;
import io.outbox.util.DaemonThreadFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

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

    private static final long MIN_COMPLETION_MS = 1000;

    private final OutboxBackend backend;
    private final MetricsExporter metrics;
    private final Clock clock;
    private final OwnedEvents owned;
    private final CompletionWriter completion;
    private final Lane sharedLane;
    private final Map<String, Lane> lanes;
    private final List<Lane> allLanes;
    private final long drainTimeoutMs;
    private volatile BiConsumer<EventTypes, Instant> dueListener = (types, due) -> {};
    private volatile LeaseKeeper leaseKeeper;
    private volatile boolean paused;
    private volatile boolean closed;

    private OutboxDispatcher(Builder builder) {
        this.backend = builder.backend();
        this.metrics = builder.metrics;
        this.clock = builder.clock;
        this.owned = new OwnedEvents(builder.inFlightTracker);
        this.completion = new CompletionWriter(backend, owned, metrics, this::announceDue);
        this.lanes = new LinkedHashMap<>();
        builder.lanes.forEach((eventType, policy) -> lanes.put(eventType, builder.lane(eventType, policy, this)));
        this.sharedLane = builder.sharedLane(this);
        this.allLanes =
                Stream.concat(lanes.values().stream(), Stream.of(sharedLane)).toList();
        this.drainTimeoutMs = builder.drainTimeoutMs;
        if (builder.lease != null) {
            holdUnder(builder.lease);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    static RetryPolicy defaultRetryPolicy() {
        return new ExponentialBackoffRetryPolicy(
                ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
    }

    /** Starts the workers, unless they run already. Needed only after {@link Builder#startManually()}. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("The dispatcher is closed; build a new one");
        }
        completion.start();
        allLanes.forEach(Lane::start);
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
        if (!laneOf(delivery.event().envelope()).offer(delivery)) {
            return false;
        }
        if (delivery.event().source() == Source.HOT) {
            metrics.incrementHotEnqueued();
        } else {
            metrics.incrementColdEnqueued();
        }
        recordQueueDepths();
        return true;
    }

    private Lane laneOf(EventEnvelope event) {
        return lanes.getOrDefault(event.eventType(), sharedLane);
    }

    /** Returns the number of free places in the cold queue; event types with a lane of their own have others. */
    public int coldQueueRemainingCapacity() {
        return sharedLane.coldRemaining();
    }

    /** Returns the number of events in the hot queues. */
    public int hotQueueDepth() {
        return allLanes.stream().mapToInt(Lane::hotSize).sum();
    }

    /** Returns the number of events in the cold queues. */
    public int coldQueueDepth() {
        return allLanes.stream().mapToInt(Lane::coldSize).sum();
    }

    /** Takes no more events, and gives those queued back to the store; listeners finish what they have. */
    public void pause() {
        paused = true;
        allLanes.forEach(Lane::pause);
    }

    /** Takes events again after {@link #pause()}. */
    public void resume() {
        paused = false;
        allLanes.forEach(Lane::resume);
    }

    public boolean isPaused() {
        return paused;
    }

    /**
     * Returns the count with the events that this dispatcher holds among those in process. Locks in a shared store show
     * that already; without them only event types with a lane of their own can be told.
     */
    public EventCount withHeld(EventCount stored) {
        Lane lane = lanes.get(stored.eventType());
        if (lane == null || holdsByLease()) {
            return stored;
        }
        long held = Math.min(lane.held(), stored.pending());
        return new EventCount(stored.eventType(), stored.pending() - held, stored.inProcess() + held);
    }

    /** Returns the event types with a lane of their own whose target is unavailable. */
    public List<String> unavailableTypes() {
        return lanes.entrySet().stream()
                .filter(lane -> lane.getValue().isUnavailable())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Delivers what is queued on the calling thread, for a dispatcher that was not started; returns how many events. */
    public int deliverQueued() {
        int total = 0;
        for (Lane lane : allLanes) {
            for (int delivered; (delivered = lane.deliverNext()) > 0; total += delivered) {
                completion.flush();
            }
        }
        return total;
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
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drainTimeoutMs);
        allLanes.forEach(Lane::beginClose);
        allLanes.forEach(lane -> lane.finishClose(deadline));
        completion.close(Duration.ofMillis(Math.max(drainTimeoutMs, MIN_COMPLETION_MS)));
        if (leaseKeeper != null) {
            leaseKeeper.close();
        }
    }

    // What lanes need

    CompletionWriter completion() {
        return completion;
    }

    MetricsExporter metrics() {
        return metrics;
    }

    LeaseKeeper leaseKeeper() {
        return leaseKeeper;
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    void recordQueueDepths() {
        if (metrics != MetricsExporter.NOOP) {
            metrics.recordQueueDepths(hotQueueDepth(), coldQueueDepth());
        }
    }

    void wakePollerIn(EventTypes types, long delayMs) {
        dueListener.accept(types, delayMs == 0 ? Instant.MIN : clock.instant().plusMillis(delayMs));
    }

    // What the writer hook and the poller handler need

    /** Returns the owner under which new events are to be written, or {@code null} if they must not be held. */
    String ownerForNewEvents(List<EventEnvelope> events) {
        LeaseKeeper keeper = leaseKeeper;
        boolean wanted = keeper != null
                && !closed
                && events.stream().allMatch(event -> laneOf(event).hasHotRoom());
        return wanted ? keeper.lease().ownerId() : null;
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

    /** Tells the poller that an event of a type will be due, or that one that is due was left to it. */
    void announceDue(String eventType, Instant due) {
        dueListener.accept(eventType == CompletionWriter.ANY_TYPE ? EventTypes.ALL : EventTypes.only(eventType), due);
    }

    void onDue(BiConsumer<EventTypes, Instant> listener) {
        dueListener = listener;
    }

    List<PollerFeed> feeds() {
        return List.copyOf(allLanes);
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

    /** Builds an {@link OutboxDispatcher}; each builder builds one. Not thread-safe. */
    public static final class Builder {

        private ConnectionProvider connectionProvider;
        private OutboxStore outboxStore;
        private OutboxBackend backend;
        private ListenerRegistry listenerRegistry;
        private InFlightTracker inFlightTracker = new DefaultInFlightTracker();
        private RetryPolicy retryPolicy = defaultRetryPolicy();
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private int workerCount = DEFAULT_WORKER_COUNT;
        private int hotQueueCapacity = DEFAULT_HOT_QUEUE_CAPACITY;
        private int coldQueueCapacity = DEFAULT_COLD_QUEUE_CAPACITY;
        private long drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private final List<EventInterceptor> interceptors = new ArrayList<>();
        private Clock clock = Clock.systemUTC();
        private ThreadFactory threadFactory = new DaemonThreadFactory("outbox-worker-");
        private final Map<String, LanePolicy> lanes = new LinkedHashMap<>();
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
            this.metrics = QuietMetrics.of(Objects.requireNonNull(metrics, "metrics"));
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

        /** Gives an event type a lane of its own, isolated from all other types. */
        public Builder lane(String eventType, LanePolicy policy) {
            Objects.requireNonNull(eventType, "eventType");
            Objects.requireNonNull(policy, "policy");
            if (lanes.putIfAbsent(eventType, policy) != null) {
                throw new IllegalStateException("Event type " + eventType + " has a lane already");
            }
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
            if (!lanes.isEmpty() && !backend().supportsClaiming()) {
                throw new IllegalStateException("Lanes need a store that can read events by type; this one cannot");
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

        private Lane sharedLane(OutboxDispatcher dispatcher) {
            return new Lane(
                    EventTypes.except(List.copyOf(lanes.keySet())),
                    new Lane.Settings(
                            workerCount, hotQueueCapacity, coldQueueCapacity, 0, 0, null, Duration.ZERO, strictOrder),
                    processor(retryPolicy, maxAttempts),
                    dispatcher,
                    threadFactory);
        }

        private Lane lane(String eventType, LanePolicy policy, OutboxDispatcher dispatcher) {
            return new Lane(
                    EventTypes.only(eventType),
                    new Lane.Settings(
                            policy.concurrency(),
                            policy.queueCapacity(),
                            policy.queueCapacity(),
                            policy.batchSize(),
                            policy.maxPerSecond(),
                            policy.pollInterval(),
                            policy.startDelay(),
                            strictOrder),
                    processor(policy.retryPolicy(), policy.maxAttempts()),
                    dispatcher,
                    threadFactory);
        }

        private EventProcessor processor(RetryPolicy policy, int attempts) {
            return new EventProcessor(
                    listenerRegistry, interceptors, new EventProcessor.RetrySettings(policy, attempts), metrics, clock);
        }

        private static int atLeastOne(int value, String name) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " must be at least 1: " + value);
            }
            return value;
        }
    }
}
