package io.outbox.internal.polling;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueType;
import io.outbox.spi.EventTypes;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
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
 * somebody calls, or for the interval, whichever comes first.
 *
 * <p>Here is in which order feeds are read, and what follows from what was found. {@link Schedule} knows when, {@link
 * Walk} and {@link Pass} which page is next, and {@link Pages} how a page is handed over.
 */
public final class PollingLoop implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");
    /** How soon to look again for an event that became due during a walk; most are in this node's hands. */
    private static final long LOOK_AGAIN_MS = 50;
    /** How soon to try again to take over stuck events, while the store cannot be relied on. */
    private static final long AFTER_CAUTION_MS = 200;
    /** How soon to look for what a call without an answer left behind. */
    private static final long LOOK_FOR_LOST_MS = 500;

    private final DeliveryBackend backend;
    private final PollSettings settings;
    private final StoreTime time;
    private final PollTarget target;
    private final Pages pages;
    private final Lookout lookout;
    private final LagMeter lag;
    private final Schedule schedule;
    private final Outage outage =
            new Outage(LOG, Level.ERROR, "Polling failed; the next cycle tries again", "Polling works again");
    private boolean toldWhatWaits;

    public PollingLoop(DeliveryBackend backend, PollTarget target, PollSettings settings, EngineMetrics metrics) {
        PageReader reader = settings.lease() == null
                ? new PageReader.Fetching(backend, settings.skipRecent(), settings.clock())
                : new PageReader.Claiming(backend, settings.skipRecent(), target);
        this.backend = backend;
        this.settings = settings;
        this.target = target;
        this.time = new StoreTime(reader, target, settings);
        this.lookout = new Lookout(backend, this::wakeUp);
        this.pages = new Pages(backend, target, reader, lookout, metrics);
        this.lag = new LagMeter(lookout, metrics);
        this.schedule = new Schedule(target, settings, time);
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
        schedule.start(this::run);
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
        lookout.close();
    }

    /** Reads and hands over one page of the oldest due events, of each feed, on the calling thread. */
    public void pollOnce() {
        for (FeedState state : schedule.feeds()) {
            try {
                if (state.feed().availableCapacity() > 0) {
                    Pass pass = passFromTheFront(state, time.read());
                    pages.handOverNext(pass);
                    end(pass);
                }
            } catch (RuntimeException | Error e) {
                outage.failed(e);
            }
        }
        lag.measure(time.estimate());
    }

    /**
     * Hands over everything that is due now on the calling thread, and has what was handed over delivered in between.
     *
     * @param deliver delivers what was handed over, and returns how many events that were
     * @return how many events were delivered
     * @throws RuntimeException if the store fails
     */
    public int pollAll(IntSupplier deliver) {
        Instant asOf = time.read();
        int total = 0;
        for (int delivered; (delivered = walkAll(asOf, deliver)) > 0; ) {
            total += delivered;
        }
        return total;
    }

    private int walkAll(Instant asOf, IntSupplier deliver) {
        int delivered = 0;
        for (FeedState state : schedule.feeds()) {
            Pass pass = passFromTheFront(state, asOf);
            boolean more = true;
            while (more && state.feed().availableCapacity() > 0) {
                more = pages.handOverNext(pass) && !pass.walk().isAtFront();
                delivered += deliver.getAsInt();
            }
            end(pass);
        }
        lag.measure(time.estimate());
        return delivered;
    }

    /** Returns a pass by itself, which changes nothing about where runs go on. */
    private Pass passFromTheFront(FeedState state, Instant asOf) {
        Walk walk = new Walk(settings.walkMs(state.feed()));
        Pass pass = pass(state, walk, PageSize.fixed(settings.batchSize(state.feed())));
        pages.begin(pass, asOf);
        return pass;
    }

    private Pass pass(FeedState state, Walk walk, PageSize pageSize) {
        return new Pass(state, walk, pageSize, settings.recovery(), schedule.isRecoveryTime(state));
    }

    /** Uses up the time of recovery of a pass whose walk has come to its end, or has it made up for soon. */
    private void end(Pass pass) {
        if (!pass.recovers()) {
            return;
        }
        if (pass.wasHeldBack()) {
            schedule.wakeIn(pass.state(), AFTER_CAUTION_MS);
        } else {
            schedule.recovered(pass.state());
        }
    }

    private void run() {
        try {
            tellWhatWaits();
            if (!isAllAtRest()) {
                readDueFeeds();
            }
        } catch (RuntimeException | Error e) {
            outage.failed(e);
        }
    }

    /**
     * Tells the target once which types wait, if the store can tell without reading events; a store that does not
     * answer is asked again by the next run.
     */
    private void tellWhatWaits() {
        if (toldWhatWaits || !lookout.tellsTypesApart()) {
            return;
        }
        try {
            target.waitingAtStart(lookout.byType(time.estimate()).types().stream()
                    .filter(type -> type.due() != null)
                    .map(DueType::eventType)
                    .toList());
            toldWhatWaits = true;
        } catch (RuntimeException | Error e) {
            LOG.log(Level.DEBUG, "The event types that wait are not known yet", e);
        }
    }

    /**
     * Returns whether the feeds that are due, and all others at rest, need not be read: one look at the store tells
     * that nothing is due. So many event types cost no more than one while nothing happens.
     */
    private boolean isAllAtRest() {
        List<FeedState> idle = schedule.beginIdle();
        if (idle.isEmpty()) {
            return false;
        }
        long quietMs = quietMs();
        if (quietMs == 0) {
            idle.forEach(state -> schedule.wakeIn(state, 0));
            return false;
        }
        idle.forEach(state -> schedule.rest(state, Math.min(quietMs, restMs(state))));
        lag.nothingIsDue();
        outage.over();
        return true;
    }

    /** Returns for how long no event of any type is due; 0 if one is. */
    private long quietMs() {
        Optional<Instant> first = lookout.firstPending(time.estimate());
        if (first.isEmpty()) {
            return Long.MAX_VALUE;
        }
        Duration wait = Duration.between(time.read(), first.get());
        return wait.isNegative() || wait.isZero() ? 0 : wait.toMillis() + 1;
    }

    /** Reads one page of each feed that is due in turn, until none has more. */
    private void readDueFeeds() {
        Map<FeedState, Pass> passes = new IdentityHashMap<>();
        do {
            for (FeedState state : schedule.beginDue(passes.keySet())) {
                passes.put(state, pass(state, state.walk(), state.pageSize()));
            }
            for (Pass pass : List.copyOf(passes.values())) {
                Found found = readNext(pass);
                if (found != Found.MORE) {
                    passes.remove(pass.state());
                    leave(pass, found);
                }
            }
            lag.measure(time.estimate());
        } while (!passes.isEmpty() && !schedule.isClosed());
    }

    /** What reading a page came to. */
    private enum Found {
        MORE,
        /** There is no more for now. */
        END,
        /** There is more than the feed has room for. */
        NO_ROOM,
        FAILURE
    }

    private Found readNext(Pass pass) {
        FeedState state = pass.state();
        try {
            if (state.feed().availableCapacity() <= 0) {
                return Found.NO_ROOM;
            }
            state.tellWalk();
            if (pass.walk().isOver()) {
                pages.begin(pass, time.read());
            }
            if (!pages.handOverNext(pass)) {
                return Found.NO_ROOM;
            }
            if (!pass.walk().isAtFront()) {
                return Found.MORE;
            }
            state.tellWalk();
            return pass.walk().wantsFront() ? Found.MORE : Found.END;
        } catch (RuntimeException | Error e) {
            failed(pass, e);
            return Found.FAILURE;
        }
    }

    private void failed(Pass pass, Throwable e) {
        outage.failed(e);
        pass.walk().restart();
    }

    /** Sets the next time of a feed, after the last page for now. */
    private void leave(Pass pass, Found found) {
        FeedState state = pass.state();
        try {
            if (found == Found.END) {
                schedule.rest(state, soonerIfLost(state, untilNextDue(pass)));
                end(pass);
                outage.over();
                return;
            }
            if (found == Found.NO_ROOM) {
                state.feed().whenCapacityFrees(() -> schedule.wakeIn(state, 0));
            }
        } catch (RuntimeException | Error e) {
            failed(pass, e);
        }
        schedule.wakeIn(state, soonerIfLost(state, settings.intervalMs(state.feed())));
    }

    private static long soonerIfLost(FeedState state, long delayMs) {
        return state.gatherLostAnswers().isEmpty() ? delayMs : Math.min(delayMs, LOOK_FOR_LOST_MS);
    }

    /** Returns how long a feed rests at most where nothing is due. */
    private long restMs(FeedState state) {
        return Math.min(settings.restMs(state), lookout.planLateLook());
    }

    /** Returns how long nothing more is due, as far as is known, or how long to rest if that is shorter. */
    private long untilNextDue(Pass pass) {
        long atMostMs = restMs(pass.state());
        Instant present = settings.lease() == null ? time.estimate() : pass.presentInStore();
        return backend.nextDueAt(pass.walk().asOf())
                .map(due -> {
                    Duration wait = Duration.between(present, due);
                    return wait.isNegative() || wait.isZero() ? LOOK_AGAIN_MS : Math.min(wait.toMillis() + 1, atMostMs);
                })
                .map(waitMs -> Math.min(waitMs, atMostMs))
                .orElse(atMostMs);
    }
}
