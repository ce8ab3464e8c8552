package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeapBudget.Share;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.polling.PollFeed;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A stream of events with queues and workers of its own: the one of an event type with a {@code LanePolicy}, or the one
 * that all other types share.
 *
 * <p>When a listener says that its target is unavailable, the {@linkplain RouteCircuits circuit} of the route opens: its
 * events go back to the store, uncounted, and delivery waits for a probe to get through. In strict order the circuit is
 * that of the whole lane, where no event may overtake the one that waits.
 *
 * <p>Whether an event may enter is decided under the lock of the queue, the same under which a pause, a circuit that
 * opens, and the end empty it. So none of them is overtaken by an event that was admitted before.
 */
final class Lane {

    private static final System.Logger LOG = System.getLogger(Lane.class.getName());
    private static final Predicate<HeldEvent> EVERY = event -> true;

    private final EventTypes types;
    private final LaneSettings settings;
    private final LaneContext context;
    private final CompletionWriter completion;
    private final EngineMetrics metrics;
    private final Alarm alarm;
    private final DispatchQueue queue;
    private final Share share;
    private final RouteCircuits circuits;
    private final boolean readByType;
    private final Routing routing;
    private final LaneWorkers workers;
    private final Feed feed = new Feed();
    private final Map<Duration, LateFeed> lateFeeds = new ConcurrentHashMap<>();
    private final ReadAhead readAhead = new ReadAhead();
    private final Map<PollFeed, Runnable> capacityWaiters = new ConcurrentHashMap<>();
    private final AtomicInteger freeWorkers = new AtomicInteger();
    private volatile boolean scanning;
    private volatile boolean paused;
    private volatile boolean standsStill;
    private volatile long movedAtNanos = System.nanoTime();
    private volatile long opensAtNanos = System.nanoTime();
    private boolean started;
    /** How often the queue was emptied; guarded by its lock. */
    private int emptied;

    private int emptiedBeforeScan;

    /** @param readByType whether an event type can be left out of what is read for the others */
    Lane(EventTypes types, LaneSettings settings, EventProcessor processor, LaneContext context, boolean readByType) {
        this.types = types;
        this.settings = settings;
        this.context = context;
        this.completion = context.completion();
        this.metrics = context.metrics();
        this.alarm = context.alarm();
        this.queue = new DispatchQueue(
                settings.queues().hotCapacity(),
                settings.queues().coldCapacity(),
                settings.strictOrder(),
                context.depths());
        this.share = context.budget().share(this::announceCapacity);
        this.routing = context.routing();
        this.readByType = readByType;
        boolean shared = types.excluded() && !settings.strictOrder();
        this.circuits = shared && !readByType
                ? null
                : new RouteCircuits(shared, this::coldRemaining, this::whenRoomFrees, routing.clock());
        this.workers = new LaneWorkers(this, settings, new BatchDelivery(this, processor, context), context.threads());
    }

    // Intake

    /** Queues the event; returns false if it has to stay in the store for now. */
    boolean offer(HeldEvent event) {
        return offer(List.of(event)) == 1;
    }

    /** Queues events until one has to stay in the store for now; returns how many were queued. */
    int offer(List<HeldEvent> events) {
        int queued = queue.offer(events, this::admits);
        if (queued > 0) {
            workers.come();
        }
        return queued;
    }

    private boolean admits(HeldEvent event) {
        return isOpen()
                && !isOvertaking()
                && event.hold().takeRoom(share, event.bytes())
                && (circuits == null || circuits.admit(event.eventType()));
    }

    /** Returns whether, in strict order, events were given back since the page was read that is being handed over. */
    private boolean isOvertaking() {
        return settings.strictOrder() && scanning && emptied != emptiedBeforeScan;
    }

    /** Notes that a page is about to be read, and calls workers that could not come before. */
    void scanStarted() {
        queue.locked(() -> {
            scanning = true;
            emptiedBeforeScan = emptied;
        });
        workers.come();
    }

    /** Notes that the page has been handed over. */
    void scanEnded() {
        scanning = false;
    }

    /** Returns whether an event of this type, written now, may find room. */
    boolean isOpenTo(String eventType) {
        return isOpen() && (circuits == null || !circuits.isOpen(eventType)) && share.reserved() < queue.hotRemaining();
    }

    /** Takes room for an event that is about to be written; returns false if there is none, in number or in bytes. */
    boolean reserve(EventEnvelope event, Hold hold) {
        return hold.reserveRoom(share, HeldEvent.bytes(event), queue.hotRemaining());
    }

    private boolean isOpen() {
        return !paused && !standsStill && opensAtNanos - System.nanoTime() <= 0;
    }

    /**
     * Returns what the poller reads for this lane: its own events, probes of those whose target is unavailable, and, later,
     * those that other nodes may have listeners for.
     */
    List<PollFeed> feeds() {
        boolean probing = circuits != null && circuits.isAnyOpen();
        Map<String, Duration> late = late();
        if (!probing && late.isEmpty()) {
            return List.of(feed);
        }
        List<PollFeed> all = new ArrayList<>(probing ? circuits.probes() : List.of());
        late.values().stream().distinct().forEach(wait -> all.add(lateFeed(wait, late)));
        all.add(feed);
        return all;
    }

    private LateFeed lateFeed(Duration wait, Map<String, Duration> late) {
        LateFeed lateFeed = lateFeeds.computeIfAbsent(wait, LateFeed::new);
        lateFeed.names = late.keySet().stream()
                .filter(eventType -> late.get(eventType).equals(wait))
                .toList();
        return lateFeed;
    }

    /** Returns whether events of this type stay where they are until their grace is over. */
    boolean leavesAlone(String eventType) {
        return readByType && routing.leastWait(eventType).equals(routing.grace());
    }

    /** Returns the event types that are read by themselves, since others may have listeners that this node lacks. */
    private Map<String, Duration> late() {
        if (!readByType || !types.excluded()) {
            return Map.of();
        }
        Map<String, Duration> gaps = routing.gaps();
        return gaps.isEmpty() ? gaps : inThisLane(gaps);
    }

    private Map<String, Duration> inThisLane(Map<String, Duration> gaps) {
        Map<String, Duration> ours = new TreeMap<>(gaps);
        ours.keySet().removeIf(eventType -> !types.contains(eventType));
        return ours;
    }

    /** The lane's events as the poller sees them. */
    private final class Feed implements PollFeed {

        @Override
        public EventTypes types() {
            EventTypes readable = circuits == null ? types : circuits.readable(types);
            Map<String, Duration> late = late();
            return late.isEmpty()
                    ? readable
                    : EventTypes.except(Stream.concat(readable.names().stream(), late.keySet().stream())
                            .distinct()
                            .toList());
        }

        @Override
        public int availableCapacity() {
            int room = coldRemaining();
            return circuits == null ? room : circuits.admits(room);
        }

        @Override
        public long availableBytes() {
            return share.room();
        }

        @Override
        public Duration leastWait() {
            return types.excluded()
                    ? Duration.ZERO
                    : routing.leastWait(types.names().get(0));
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            whenRoomFrees(this, action);
        }

        @Override
        public int batchSize() {
            return settings.pace().batchSize();
        }

        @Override
        public Duration interval() {
            return settings.pace().pollInterval();
        }
    }

    /** Events that are read only when others have had time to take them. */
    private final class LateFeed implements PollFeed {

        private final Duration leastWait;
        private volatile List<String> names = List.of();

        private LateFeed(Duration leastWait) {
            this.leastWait = leastWait;
        }

        @Override
        public EventTypes types() {
            return new EventTypes(names, false);
        }

        @Override
        public Duration leastWait() {
            return leastWait;
        }

        @Override
        public int availableCapacity() {
            return coldRemaining();
        }

        @Override
        public long availableBytes() {
            return share.room();
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            whenRoomFrees(this, action);
        }

        @Override
        public int batchSize() {
            return 0;
        }

        @Override
        public Duration interval() {
            return null;
        }
    }

    private void whenRoomFrees(PollFeed waiting, Runnable action) {
        capacityWaiters.put(waiting, action);
        announceCapacity();
    }

    private void announceCapacity() {
        if (capacityWaiters.isEmpty()) {
            return;
        }
        for (PollFeed waiting : capacityWaiters.keySet()) {
            Runnable waiter = isRoomyFor(waiting) ? capacityWaiters.remove(waiting) : null;
            if (waiter != null) {
                waiter.run();
            }
        }
    }

    /** Returns whether it is worth to read: for a probe, if there is room at all, else if it is not for a few events only. */
    private boolean isRoomyFor(PollFeed waiting) {
        if (!share.isRoomy()) {
            return false;
        }
        if (waiting != feed) {
            return coldRemaining() > 0;
        }
        int room = feed.availableCapacity();
        boolean probing = circuits != null && circuits.isAnyOpen();
        return room > 0 && (probing || room * 2 >= mostWaiting());
    }

    /** Returns how many events are queued or with a listener. */
    int held() {
        return queue.hotSize() + queue.coldSize() + workers.delivering();
    }

    int coldRemaining() {
        return isOpen() && share.room() > 0
                ? Math.max(0, Math.min(queue.coldRemaining(), mostWaiting() - queue.coldSize()))
                : 0;
    }

    /** Returns how many polled events may wait for a worker. */
    private int mostWaiting() {
        int capacity = settings.queues().coldCapacity();
        return context.leases().areKept() ? Math.min(capacity, readAhead.most()) : capacity;
    }

    /** Returns the targets that do not answer. */
    List<UnavailableTarget> unavailable() {
        return circuits == null ? List.of() : circuits.unavailable();
    }

    DispatchQueue queue() {
        return queue;
    }

    boolean isPaused() {
        return paused;
    }

    // Life cycle

    synchronized void start() {
        if (!started) {
            started = true;
            Duration delay = settings.pace().startDelay();
            opensAtNanos = System.nanoTime() + delay.toNanos();
            if (!delay.isZero()) {
                giveBackQueued(() -> {});
                alarm.dueIn(types, delay.toMillis() + 1);
            }
            workers.start();
        }
    }

    /** Takes no more events and gives back those queued; listeners finish what they have. */
    void pause() {
        giveBackQueued(() -> paused = true);
    }

    void resume() {
        paused = false;
        announceCapacity();
        alarm.dueNow(types);
    }

    /** Gives back what is queued if no worker has come for it for that long; until one comes, nothing more is taken. */
    void giveBackIfStandingStill(Duration longest) {
        boolean moved = System.nanoTime() - movedAtNanos <= longest.toNanos();
        if (moved || queue.longestWaitNanos() <= longest.toNanos()) {
            return;
        }
        if (workers.areMissing()) { // they are called only now, or cannot be: nobody is kept from coming
            workers.come();
            if (!workers.isAnyPresent()) {
                giveBackQueued();
            }
            return;
        }
        standsStill = true;
        if (freeWorkers.get() > 0) {
            standsStill = false; // the process did, and its workers are about to go on
            return;
        }
        LOG.log(
                Level.WARNING,
                "No worker of {0} has taken an event for {1}; those queued are left to other nodes",
                name(),
                longest);
        giveBackQueued();
    }

    /** Notes that a worker has come for events; before it looks for them, so that it is not missed. */
    void workerComes() {
        freeWorkers.incrementAndGet();
        if (standsStill) {
            standsStill = false;
            movedAtNanos = System.nanoTime();
            announceCapacity();
            alarm.dueNow(types);
        }
    }

    /** Notes that a worker goes with that many events. */
    void workerGoes(int events) {
        freeWorkers.decrementAndGet();
        if (events > 0) {
            movedAtNanos = System.nanoTime();
            readAhead.taken(events);
            announceCapacity();
        }
    }

    LaneWorkers workers() {
        return workers;
    }

    /** Gives back everything that is queued, at the end. */
    void giveBackQueued() {
        int left = giveBackQueued(() -> {});
        if (left > 0) {
            LOG.log(Level.INFO, "{0} queued events go back to the store", left);
        }
    }

    private int giveBackQueued(Runnable firstOfAll) {
        List<HeldEvent> left = queue.remove(EVERY, () -> {
            emptied++;
            firstOfAll.run();
        });
        if (!left.isEmpty()) {
            giveBack(left);
        }
        return left.size();
    }

    /** Gives back events that were taken from the queue and not delivered. */
    void giveBack(List<HeldEvent> events) {
        events.forEach(event -> completion.giveBack(event.hold()));
        if (circuits != null && circuits.isAnyOpen()) {
            events.forEach(event -> probeLost(event.eventType()));
        }
        alarm.dueNow(types);
    }

    // Circuits

    /** Returns whether events whose target is unavailable can be left in the store until a probe gets through. */
    boolean hasCircuits() {
        return circuits != null;
    }

    /**
     * Notes that the target of an event type cannot be reached, and gives back what is queued for it.
     *
     * @param events those that were meant for it, given back too
     */
    void targetUnavailable(String eventType, List<HeldEvent> events, RouteUnavailableException cause) {
        String reason = Reasons.of(cause);
        RouteCircuits.News news;
        try {
            news = open(eventType, events, reason);
        } finally {
            allowProbes(eventType, cause.pause());
        }
        tell(eventType, news, reason);
    }

    /**
     * Notes that the target of an event type does not answer, and gives back what is queued for it. The listener that says
     * so keeps its events, and they are the probe: no other passes, and binds another worker, until it has ended.
     */
    void targetSilent(String eventType, RouteUnavailableException cause) {
        String reason = Reasons.of(cause);
        tell(eventType, open(eventType, List.of(), reason), reason);
    }

    /** Notes that a listener that had heard nothing has ended, without telling anything about the target. */
    void silenceEnded(String eventType) {
        if (circuits.isOpen(eventType)) {
            allowProbes(eventType, null);
        }
    }

    private RouteCircuits.News open(String eventType, List<HeldEvent> events, String reason) {
        Predicate<HeldEvent> sameTarget =
                settings.strictOrder() ? EVERY : event -> event.eventType().equals(eventType);
        RouteCircuits.News[] news = new RouteCircuits.News[1];
        List<HeldEvent> behind = queue.remove(sameTarget, () -> {
            emptied++;
            news[0] = circuits.trip(eventType, reason);
        });
        events.forEach(event -> completion.giveBack(event.hold()));
        behind.forEach(event -> completion.giveBack(event.hold()));
        alarm.dueNow(types);
        return news[0];
    }

    private void allowProbes(String eventType, Duration pause) {
        circuits.allowProbes(eventType, pause);
        alarm.dueIn(probed(eventType), circuits.millisToProbe(eventType));
    }

    private void tell(String eventType, RouteCircuits.News news, String reason) {
        if (news == RouteCircuits.News.UNAVAILABLE) {
            LOG.log(
                    Level.WARNING,
                    "The target of {0} is unavailable ({1}); its events wait in the store",
                    name(eventType),
                    reason);
            metrics.routeUnavailable(name(eventType), true);
            if (!circuits.isOpen(eventType)) { // it has answered meanwhile, and that was told before this
                metrics.routeUnavailable(name(eventType), false);
            }
        } else if (news == RouteCircuits.News.OTHER_CAUSE) {
            LOG.log(
                    Level.WARNING,
                    "The target of {0} is still unavailable, for another reason now ({1})",
                    name(eventType),
                    reason);
        }
    }

    /** Notes that the target of an event type answered. */
    void targetAnswered(String eventType) {
        Duration outage = circuits == null ? null : circuits.reset(eventType);
        if (outage != null) {
            LOG.log(
                    Level.INFO,
                    "The target of {0} is back after {1}; delivery goes on",
                    name(eventType),
                    outage.truncatedTo(ChronoUnit.MILLIS));
            metrics.routeUnavailable(name(eventType), false);
            alarm.dueNow(types);
        }
    }

    /** Notes that an attempt told nothing about the target of its event. */
    void probeLost(String eventType) {
        if (circuits != null && circuits.isOpen(eventType)) {
            circuits.probeLost(eventType);
            alarm.dueIn(probed(eventType), circuits.millisToProbe(eventType));
        }
    }

    private EventTypes probed(String eventType) {
        return settings.strictOrder() ? types : EventTypes.only(eventType);
    }

    private String name(String eventType) {
        return settings.strictOrder() ? name() : eventType;
    }

    private String name() {
        return types.excluded() ? "all event types" : types.names().get(0);
    }
}
