package io.outbox.internal.delivery;

import io.outbox.WriterHook;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.delivery.AttemptOutcomes.RetrySettings;
import io.outbox.internal.delivery.EventProcessor.Listening;
import io.outbox.internal.keyed.KeyLoop;
import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.internal.lifecycle.Ending;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeapBudget;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.ownership.Patience;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.internal.polling.PollTarget;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.internal.watch.WatchedBackend;
import io.outbox.internal.writing.HotPath;
import io.outbox.internal.writing.OrderKeys;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Delivers events: lanes of bounded queues with workers that call listeners, the stage that makes outcomes durable, and
 * what keeps this node's ownership. Events come in by the {@linkplain HotPath hot path} or from the
 * {@linkplain PollTarget poller}.
 *
 * <p>Delivery is at least once; while no process, network or database fails, it is exactly once (see {@link
 * OwnedEvents} for how). Slow listeners keep workers busy, queues fill up, and further events stay in the store.
 * Thread-safe.
 */
public final class DeliveryEngine implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final long MIN_COMPLETION_MS = 1000;

    private final DeliveryBackend backend;
    private final StoreWatch watch = new StoreWatch();
    private final EngineMetrics metrics;
    private final OwnedEvents owned;
    private final AlarmLine alarm;
    private final EngineClock clock;
    private final Contexts contexts;
    private final Leases leases = new Leases();
    private final CompletionWriter completion;
    private final Routing routing;
    private final LaneContext laneContext;
    private final Lanes lanes;
    private final ColdEvents coldEvents;
    /** {@code null} if no event keeps its order. */
    private final KeyLoop keys;

    private final OrderKeys orderKeys;
    private final long drainTimeoutMs;
    private final Ending ending = new Ending();
    private final DeliveryPauses pauses;
    private boolean closed;

    /** @throws IllegalStateException if the backend cannot do what the settings ask for */
    public DeliveryEngine(DeliveryBackend store, DeliverySettings settings, EngineMetrics metrics) {
        Objects.requireNonNull(settings.listenerRegistry, "listenerRegistry is required");
        requireCapabilities(store, settings);
        this.backend = new WatchedBackend(store, watch);
        this.metrics = metrics;
        this.alarm = settings.alarm();
        this.owned = new OwnedEvents(settings.inFlightTracker);
        this.clock = settings.lease == null
                ? EngineClock.of(settings.clock)
                : EngineClock.setBy(backend::currentTime, settings.clock);
        this.contexts = settings.contexts();
        this.completion = new CompletionWriter(
                backend,
                owned,
                metrics,
                new CompletionWriter.Told(settings.completionListeners, settings.moves, settings.ends),
                alarm);
        this.routing =
                new Routing(settings.listenerRegistry, settings.versions, leases, clock, settings.unroutableGrace());
        this.laneContext = new LaneContext(
                completion,
                leases,
                routing,
                metrics,
                alarm,
                settings.threadFactory,
                HeapBudget.ofThisHeap(),
                new DispatchQueue.Depths(),
                backend.supports(Capability.READ_BY_TYPE));
        this.lanes = lanes(settings);
        this.pauses = new DeliveryPauses(lanes);
        LeaseTaker leaseTaker = leaseTaker(settings.longestStandstill);
        this.coldEvents = new ColdEvents(lanes, routing, owned, completion, alarm, clock, watch, leases, leaseTaker);
        this.orderKeys = settings.orderKeys();
        this.keys = settings.ordering() == null
                ? null
                : new KeyLoop(
                        new KeyLoop.Engine(backend, owned, completion, watch, metrics),
                        new KeyedLanes(lanes, laneContext),
                        laneContext.budget().share(() -> {}),
                        settings.clock,
                        settings.keySettings());
        this.drainTimeoutMs = settings.drainTimeoutMs;
        watch.onRecovery(completion::storeAnswers);
        if (settings.lease != null) {
            leaseTaker.holdUnder(settings.lease);
        }
    }

    private LeaseTaker leaseTaker(Duration longestStandstill) {
        return new LeaseTaker(
                leases,
                backend,
                lease -> new LeaseKeeper(
                                lease,
                                backend,
                                owned,
                                metrics,
                                () -> lanes.giveBackWhatHasNotMovedFor(longestStandstill))
                        .start(watch));
    }

    private static void requireCapabilities(DeliveryBackend store, DeliverySettings settings) {
        if (settings.lease != null && !store.supports(Capability.CLAIM)) {
            throw new IllegalStateException("A lease needs a store that can claim events; this one cannot");
        }
        if (settings.ordering() != null) {
            requireOrder(store, settings);
        }
        if (settings.hasLanes() && !store.supports(Capability.READ_BY_TYPE)) {
            throw new IllegalStateException("Lanes need a store that can read events by type; this one cannot");
        }
    }

    private static void requireOrder(DeliveryBackend store, DeliverySettings settings) {
        List<Capability> needed = settings.lease == null
                ? List.of(Capability.KEYED)
                : List.of(Capability.KEYED, Capability.RENEW, Capability.RELEASE, Capability.FENCE);
        List<Capability> missing =
                needed.stream().filter(one -> !store.supports(one)).toList();
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    "ordering(...) needs a store that can deliver events in the order of their keys; this one lacks "
                            + missing);
        }
    }

    private Lanes lanes(DeliverySettings settings) {
        Listening listening = new Listening(routing, settings.interceptors, contexts);
        FailureReport report = new FailureReport(
                settings.stackTraces, settings.lease == null ? null : settings.lease.ownerId(), clock);
        boolean keepsDone = !settings.deleteDone || !backend.supports(Capability.DELETE_DONE);
        Function<RetrySettings, EventProcessor> processors = retry ->
                new EventProcessor(listening, new AttemptOutcomes(routing, retry, report, clock, keepsDone), metrics);
        Map<String, Lane> byType = new LinkedHashMap<>();
        settings.lanes.forEach((eventType, policy) -> byType.put(
                eventType,
                new Lane(
                        EventTypes.only(eventType),
                        LaneSettings.of(policy, settings.strictOrder),
                        processors.apply(new RetrySettings(policy.retryPolicy(), policy.maxAttempts())),
                        laneContext)));
        Lane shared = new Lane(
                byType.isEmpty() ? EventTypes.ALL : EventTypes.except(List.copyOf(byType.keySet())),
                new LaneSettings(
                        new LaneSettings.Queues(settings.hotQueueCapacity, settings.coldQueueCapacity),
                        new LaneSettings.Workers(settings.workerCount, null),
                        LaneSettings.Pace.DEFAULT,
                        settings.strictOrder),
                processors.apply(new RetrySettings(settings.retryPolicy, settings.maxAttempts)),
                laneContext);
        return new Lanes(byType, shared, laneContext, settings.jsonCodec);
    }

    /** Starts workers and completion, unless they run already. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("The dispatcher is closed; build a new one");
        }
        completion.start();
        lanes.start();
        if (keys != null) {
            keys.start();
        }
    }

    /** Returns the hot path, whose events are counted by the given exporter. */
    public HotPath hotPath(MetricsExporter exporter) {
        return new HotEvents(
                lanes,
                owned,
                laneContext,
                new EngineMetrics(exporter),
                keys == null ? HotEvents.Keys.NONE : new HotEvents.Keys(orderKeys, keys::look));
    }

    /** Returns whether events of one key are delivered in order. */
    public boolean keepsOrder() {
        return keys != null;
    }

    /** Looks for the next events of a key. */
    public void lookAtKey(String key) {
        if (keys != null) {
            keys.look(key);
        }
    }

    /** Looks for events that keep their order and that others have written. */
    public void lookAtKeys() {
        if (keys != null) {
            keys.lookAtAll();
        }
    }

    /** Returns what adds the context of a writer to its events. */
    public WriterHook contextCapture() {
        return contexts;
    }

    /** Returns where a poller hands over what it finds. */
    public PollTarget coldPath() {
        return coldEvents;
    }

    /** Returns the time by which events are due: the store's among several nodes, else this node's. */
    public Instant now() {
        return clock.now();
    }

    /** Returns the store, as this engine calls it. */
    public DeliveryBackend backend() {
        return backend;
    }

    /** Returns the exporter, as this engine reports to it. */
    public EngineMetrics metrics() {
        return metrics;
    }

    /**
     * Makes outcomes durable of events that nobody has in hand; returns what they have become. Events that are missing
     * there are held, have ended, or are not in the store.
     */
    public Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
        if (leases.areKept()) {
            return backend.applyToFree(outcomes);
        }
        return keys == null ? applyAlone(outcomes) : keys.betweenLooks(() -> applyAlone(outcomes));
    }

    /** A node that is alone has no locks in the store: what it holds, it knows. Meanwhile it holds these. */
    private Map<String, EventStatus> applyAlone(List<Outcome> outcomes) {
        Map<Outcome, Hold> held = new LinkedHashMap<>();
        try {
            for (Outcome outcome : outcomes) {
                Hold hold = owned.acquire(outcome.eventId());
                if (hold != null) {
                    held.put(outcome, hold);
                }
            }
            return held.isEmpty() ? Map.of() : backend.apply(null, List.copyOf(held.keySet()));
        } finally {
            held.values().forEach(completion::letGo);
        }
    }

    /** Returns whether what nodes hold is locked in the store, or known to this node alone. */
    public boolean locksInStore() {
        return leases.areKept();
    }

    /** Returns whether this node has an event in hand. */
    public boolean isHeld(String eventId) {
        return owned.isHeld(eventId);
    }

    /** Queues an event that nobody holds; an event that is in flight already is dropped and counts as accepted. */
    public boolean enqueueHot(QueuedEvent event) {
        return enqueue(event, owned.acquire(event.envelope().eventId()));
    }

    /** Queues an event read from the store, which is locked there if this engine holds events under a lease. */
    public boolean enqueueCold(QueuedEvent event) {
        String eventId = event.envelope().eventId();
        Lease lease = leases.lease(); // whoever claimed it knows the name only
        return enqueue(
                event,
                lease == null
                        ? owned.acquire(eventId)
                        : owned.acquireClaimed(eventId, lease.ownerId(), owned.now(), new Patience()));
    }

    private boolean enqueue(QueuedEvent event, Hold hold) {
        if (hold == null) {
            return true;
        }
        hold.contest(); // nobody knows where the application has it from
        if (lanes.offer(new HeldEvent(event, hold))) {
            return true;
        }
        completion.giveBack(hold);
        return false;
    }

    /** Returns the number of free places in the cold queue; event types with a lane of their own have others. */
    public int coldQueueRemainingCapacity() {
        return lanes.shared().room().cold();
    }

    /** Returns the number of events in the hot queues. */
    public int hotQueueDepth() {
        return lanes.hotSize();
    }

    /** Returns the number of events in the cold queues. */
    public int coldQueueDepth() {
        return lanes.coldSize();
    }

    /** Returns the number of events that this node holds, from their reservation to their durable outcome. */
    public int heldEvents() {
        return owned.size();
    }

    /** Returns what pauses and resumes delivery. */
    public DeliveryPauses pauses() {
        return pauses;
    }

    /**
     * Returns the count with the events that this engine holds among those in process. Locks in a shared store show
     * that already; without them only event types with a lane of their own can be told.
     */
    public EventCount withHeld(EventCount stored) {
        Lane lane = lanes.ownLaneOf(stored.eventType());
        if (lane == null || leases.areKept()) {
            return stored;
        }
        long held = Math.min(lane.held(), stored.pending());
        return new EventCount(stored.eventType(), stored.pending() - held, stored.inProcess() + held);
    }

    /** Returns what this node cannot deliver at the moment, and why, one entry per event type, in their order. */
    public List<UnavailableTarget> unavailable() {
        Map<String, UnavailableTarget> byType = new TreeMap<>();
        routing.unavailable().forEach(target -> byType.put(target.eventType(), target));
        lanes.unavailable().forEach(target -> byType.put(target.eventType(), target));
        return List.copyOf(byType.values());
    }

    /**
     * Delivers what is queued on the calling thread, for an engine that was not started; returns how many events. While
     * the store does not take outcomes of before, nothing more is delivered.
     *
     * @throws OutboxBackendException if the store does not take the outcomes; they are kept
     */
    public int deliverQueued() {
        flush();
        int total = 0;
        for (int delivered; (delivered = lanes.deliverNext(this::flush)) > 0; ) {
            total += delivered;
        }
        return total;
    }

    /** As {@link #deliverQueued()}, for events that keep their order and are due by now; returns how many events. */
    public int deliverKeyed() {
        int total = 0;
        if (keys != null) {
            Instant asOf = keys.readDueUntil();
            boolean found;
            do {
                found = keys.lookOnce(asOf);
                total += deliverQueued();
            } while (found);
        }
        return total;
    }

    private void flush() {
        if (!completion.flush(Duration.ofMillis(Math.max(drainTimeoutMs, MIN_COMPLETION_MS)))) {
            throw new OutboxBackendException("The store does not take the outcomes of events that were delivered; they"
                    + " are kept, and written when delivery is called again");
        }
    }

    /**
     * Stops: refuses further events, delivers those queued for up to the drain timeout, then interrupts the workers,
     * and gives every event that was not delivered back to the store, so that nothing waits for a lock to run out.
     * Called again, it waits for the end.
     */
    @Override
    public void close() {
        ending.once(() -> {
            refuseStart();
            if (keys != null) {
                keys.close();
            }
            lanes.close(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drainTimeoutMs));
            completion.close(Duration.ofMillis(Math.max(drainTimeoutMs, MIN_COMPLETION_MS)));
            leases.close();
        });
    }

    private synchronized void refuseStart() {
        closed = true;
    }
}
