package io.outbox.internal.polling;

import io.outbox.EventEnvelope;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.PollTarget.FoundEvent;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.poller.StuckRecovery;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.PageCursor;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * Finds due events and hands them over, feed by feed and page by page.
 *
 * <p>Each run drains: a full page is followed by the next at once, for as long as the feed has room; feeds are read in
 * turn, so that none waits for the backlog of another. Between runs the loop sleeps until the next event is due, until
 * somebody calls, or for the interval, whichever comes first. Whatever was claimed and not handed over is given back,
 * whatever happens in between.
 */
public final class PollingLoop implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(PollingLoop.class.getName());
    /** How soon to look again for an event that became due during a walk; most are in this node's hands. */
    private static final long LOOK_AGAIN_MS = 50;
    /** How soon to try again to take over stuck events, while the store cannot be relied on. */
    private static final long AFTER_CAUTION_MS = 200;
    /** How soon to look for what a claim without an answer left behind. */
    private static final long LOOK_FOR_LOST_MS = 500;

    private final DeliveryBackend backend;
    private final PollTarget target;
    private final PollSettings settings;
    private final StoreWatch watch;
    private final EngineMetrics metrics;
    private final PageReader reader;
    private final Lookout lookout;
    private final LagMeter lag;
    private final Schedule schedule;
    private final Object pageLock = new Object();
    private volatile Duration storeAhead = Duration.ZERO;
    private boolean readyForTypes;
    private final Outage outage =
            new Outage(LOG, Level.ERROR, "Polling failed; the next cycle tries again", "Polling works again");

    public PollingLoop(DeliveryBackend backend, PollTarget target, PollSettings settings, EngineMetrics metrics) {
        this.backend = backend;
        this.watch = target.watch();
        this.target = target;
        this.settings = settings;
        this.metrics = metrics;
        this.reader = settings.lease() == null
                ? new PageReader.Fetching(backend, settings.skipRecent(), settings.clock())
                : new PageReader.Claiming(backend, settings.skipRecent(), target);
        this.lookout = new Lookout(backend);
        this.lag = new LagMeter(lookout, metrics);
        this.schedule = new Schedule(target, settings, this::run);
        if (settings.lease() != null) {
            target.claimingUnder(settings.lease());
        }
        target.connect(schedule);
    }

    /** Returns a handler of the application's own as a target. */
    public static PollTarget target(OutboxPollerHandler handler, DeliveryBackend backend, EngineMetrics metrics) {
        return new HandlerTarget(handler, backend, metrics);
    }

    /** Starts, unless it was started already. The first run begins at once. */
    public void start() {
        schedule.start();
    }

    /** Makes the next run begin at once, for events that have become due unbeknown to the target. */
    public void wakeUp() {
        wakeUp(EventTypes.ALL);
    }

    /** As {@link #wakeUp()}, for events of these types. */
    public void wakeUp(EventTypes types) {
        schedule.dueNow(types);
    }

    /** Stops and waits for a run that is under way. */
    @Override
    public void close() {
        schedule.close();
    }

    /** Reads and hands over one page of the oldest due events, of each feed, on the calling thread. */
    public void pollOnce() {
        for (FeedState state : schedule.feeds()) {
            try {
                if (state.feed().availableCapacity() > 0) {
                    Walk walk = newWalk(state);
                    begin(walk, state.feed(), time());
                    Pass pass = singlePage(state, walk);
                    readPage(pass);
                    pass.end();
                }
            } catch (RuntimeException | Error e) {
                noteFailure(e);
            }
        }
        measureLag();
    }

    /**
     * Hands over everything that is due now on the calling thread, and has what was handed over delivered in between.
     *
     * @param deliver delivers what was handed over, and returns how many events that were
     * @return how many events were delivered
     * @throws RuntimeException if the store fails
     */
    public int pollAll(IntSupplier deliver) {
        Instant asOf = time();
        int total = 0;
        for (int delivered; (delivered = walkAll(asOf, deliver)) > 0; ) {
            total += delivered;
        }
        return total;
    }

    private int walkAll(Instant asOf, IntSupplier deliver) {
        int delivered = 0;
        for (FeedState state : schedule.feeds()) {
            Walk walk = newWalk(state);
            begin(walk, state.feed(), asOf);
            Pass pass = singlePage(state, walk);
            boolean more = true;
            while (more && state.feed().availableCapacity() > 0) {
                more = readPage(pass) && !walk.isAtFront();
                delivered += deliver.getAsInt();
            }
            pass.end();
        }
        measureLag();
        return delivered;
    }

    private Pass singlePage(FeedState state, Walk walk) {
        return new Pass(state, walk, PageSize.fixed(settings.batchSize(state.feed())));
    }

    private Walk newWalk(FeedState state) {
        return new Walk(settings.walkMs(state.feed()));
    }

    private void run() {
        schedule.runBegins();
        try {
            if (!isAllAtRest()) {
                readDueFeeds();
            }
        } catch (RuntimeException | Error e) {
            noteFailure(e);
        } finally {
            schedule.next();
        }
    }

    /**
     * Returns whether the feeds that are due, and all others at rest, need not be read: one look at the store tells that
     * nothing is due. So many event types cost no more than one while nothing happens.
     */
    private boolean isAllAtRest() {
        List<FeedState> idle = schedule.beginIdle(schedule.feeds());
        if (idle.isEmpty()) {
            return false;
        }
        long quietMs = quietMs();
        if (quietMs == 0) {
            idle.forEach(state -> schedule.wakeIn(state, 0));
            return false;
        }
        idle.forEach(state -> schedule.rest(state, Math.min(quietMs, settings.intervalMs(state.feed()))));
        lag.nothingIsDue();
        noteSuccess();
        return true;
    }

    /** Returns for how long no event of any type is due; 0 if one is. */
    private long quietMs() {
        Optional<Instant> first = lookout.firstPending(estimatedTime());
        if (first.isEmpty()) {
            return Long.MAX_VALUE;
        }
        Duration wait = Duration.between(time(), first.get());
        return wait.isNegative() || wait.isZero() ? 0 : wait.toMillis() + 1;
    }

    /** Reads one page of each feed that is due in turn, until none has more. */
    private void readDueFeeds() {
        Map<FeedState, Pass> passes = new IdentityHashMap<>();
        do {
            for (FeedState state : schedule.feeds()) {
                if (!passes.containsKey(state) && schedule.begin(state)) {
                    passes.put(state, new Pass(state, state.walk(), state.pageSize()));
                }
            }
            for (Pass pass : List.copyOf(passes.values())) {
                if (!goesOn(pass)) {
                    passes.remove(pass.state);
                }
            }
            measureLag();
        } while (!passes.isEmpty() && !schedule.isClosed());
    }

    private void measureLag() {
        lag.measure(estimatedTime());
    }

    /** Returns the time on the store's clock by what is known of it. */
    private Instant estimatedTime() {
        return settings.clock().instant().plus(storeAhead);
    }

    /** Reads the next page of a pass; returns false, having set the feed's next time, if it was the last for now. */
    private boolean goesOn(Pass pass) {
        FeedState state = pass.state;
        try {
            if (state.feed().availableCapacity() > 0) {
                Walk walk = state.walk();
                if (walk.isOver()) {
                    begin(walk, state.feed(), time());
                }
                if (readPage(pass)) {
                    if (!walk.isAtFront() || state.walk().wantsFront()) {
                        return true;
                    }
                    schedule.rest(state, untilNextDue(pass));
                    pass.end();
                    noteSuccess();
                    return false;
                }
            }
            state.feed().whenCapacityFrees(() -> schedule.wakeIn(state, 0));
        } catch (RuntimeException | Error e) {
            noteFailure(e);
            pass.walk.restart();
        }
        long intervalMs = settings.intervalMs(state.feed());
        schedule.wakeIn(state, state.lostAnswers().isEmpty() ? intervalMs : Math.min(intervalMs, LOOK_FOR_LOST_MS));
        return false;
    }

    /** Returns how long nothing more is due, up to the interval. */
    private long untilNextDue(Pass pass) {
        long atMostMs = settings.intervalMs(pass.state.feed());
        Instant present = settings.lease() == null ? settings.clock().instant() : pass.presentInStore();
        return backend.nextDueAt(pass.walk.asOf())
                .map(due -> {
                    Duration wait = Duration.between(present, due);
                    return wait.isNegative() || wait.isZero() ? LOOK_AGAIN_MS : Math.min(wait.toMillis() + 1, atMostMs);
                })
                .map(waitMs -> Math.min(waitMs, atMostMs))
                .orElse(atMostMs);
    }

    /**
     * The reading of one feed in one run, and how many stuck events it may take over.
     *
     * <p>A time of recovery is used up only by a pass that came to its end and was free to take events over. One that was
     * not, for want of room, because the store failed, or because this node has to be cautious, leaves it to the next.
     */
    private final class Pass {

        private final FeedState state;
        private final Walk walk;
        private final PageSize pageSize;
        private final long beganAtNanos = System.nanoTime();
        private final boolean recovers;
        private int toRecover;
        private boolean heldBack;

        private Pass(FeedState state, Walk walk, PageSize pageSize) {
            this.state = state;
            this.walk = walk;
            this.pageSize = pageSize;
            StuckRecovery recovery = settings.recovery();
            this.recovers = schedule.isRecoveryTime(state);
            this.toRecover = recovers ? recovery.batchSize() : 0;
            if (recovers) {
                walk.restart();
            }
        }

        /** Returns whether a claim takes over events whose lease has run out. */
        private boolean takesOver() {
            if (settings.recovery() != null && toRecover == 0) {
                return false;
            }
            boolean reliable = watch.isReliable();
            heldBack |= !reliable;
            return reliable;
        }

        private int limit() {
            boolean recoversFirst = toRecover > 0 && walk.isAtFront();
            int most = recoversFirst ? Math.min(pageSize.next(), toRecover) : pageSize.next();
            return Math.max(1, Math.min(most, state.feed().availableCapacity()));
        }

        private long maxBytes() {
            return Math.max(1, Math.min(PageSize.MOST_BYTES, state.feed().availableBytes()));
        }

        private void tookOver(int count) {
            toRecover = Math.max(0, toRecover - count);
            if (count > 0) {
                metrics.recovered(count);
            }
        }

        /** Notes that the walk has come to its end. */
        private void end() {
            if (recovers && heldBack) {
                schedule.wakeIn(state, AFTER_CAUTION_MS);
            } else if (recovers) {
                schedule.recovered(state);
            }
        }

        /** Goes on behind a page; {@code null} is the end. */
        private void walkedTo(PageCursor next) {
            walk.advance(next);
            if (next == null) {
                state.lostAnswers().walked(walk.beganAtNanos());
            }
        }

        private Instant presentInStore() {
            return walk.asOf().plusNanos(System.nanoTime() - beganAtNanos);
        }
    }

    /** Reads and hands over one page; returns false if there was no room for all of it. */
    private boolean readPage(Pass pass) {
        synchronized (pageLock) {
            PollFeed feed = pass.state.feed();
            EventTypes types = pass.walk.types(feed);
            if (types.isNone()) {
                pass.walkedTo(null);
                return true;
            }
            target.scanStarted();
            try {
                int limit = pass.limit();
                PageReader.Place place = pass.walk.place(limit, pass.maxBytes()).dueFor(feed.leastWait());
                long began = System.nanoTime();
                PageReader.ReadPage page = reader.read(types, place, pass.takesOver(), pass.state.lostAnswers());
                if (place.after() == null) {
                    lookout.readAtFront(System.nanoTime() - began);
                }
                pass.tookOver(page.takenOver());
                pass.pageSize.came(limit, page.next() != null);
                pass.pageSize.fit(page.events().size(), page.bytes());
                boolean taken = handOver(page);
                if (taken) {
                    pass.walkedTo(page.next());
                } else if (page.claim().holder() != null) {
                    pass.walk.restart();
                }
                return taken;
            } finally {
                target.scanEnded();
            }
        }
    }

    /** Begins a walk at the front, with what is due at that time. */
    private void begin(Walk walk, PollFeed feed, Instant asOf) {
        EventTypes types = feed.types();
        if (!readyForTypes && !types.isAll()) {
            backend.prepareReadsByType();
            readyForTypes = true;
        }
        walk.begin(asOf, lookout.range(types, asOf.minus(feed.leastWait())));
    }

    /**
     * Returns the time by which a walk that begins now tells what is due. The difference of clocks is taken here, the
     * moment the store's clock is read: a walk may be told a time of before.
     */
    private Instant time() {
        Instant time = reader.time();
        if (settings.lease() != null) {
            storeAhead = Duration.between(settings.clock().instant(), time);
            schedule.storeIsAhead(storeAhead);
            target.storeIsAhead(storeAhead);
        }
        return time;
    }

    /** Hands over the events of a page; returns false if there was no room for all. Nothing that was claimed is forgotten. */
    private boolean handOver(PageReader.ReadPage page) {
        List<FoundEvent> events = null;
        try {
            events = decode(page);
        } finally {
            if (events == null && page.claim().holder() != null) {
                target.giveBack(page.events(), page.claim());
            }
        }
        return target.offer(events, page.claim(), metrics::coldEnqueued);
    }

    /** Returns the events of a page; those that cannot be decoded go DEAD, each by itself. */
    private List<FoundEvent> decode(PageReader.ReadPage page) {
        List<FoundEvent> events = new ArrayList<>(page.events().size());
        for (DueEvent row : page.events()) {
            try {
                events.add(new FoundEvent(row, EventEnvelope.restore(row.event())));
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "Event " + row.eventId() + " cannot be decoded and goes DEAD", e);
                target.bury(row, page.claim(), e);
            }
        }
        return events;
    }

    private void noteFailure(Throwable e) {
        outage.failed(e);
    }

    private void noteSuccess() {
        outage.over();
    }
}
