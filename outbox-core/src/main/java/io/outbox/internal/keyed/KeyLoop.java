package io.outbox.internal.keyed;

import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeapBudget.Share;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.LostAnswers;
import io.outbox.internal.polling.RestTime;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackendException;
import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Delivers events of one key in order, whichever nodes write and deliver them.
 *
 * <h2>The protocol</h2>
 *
 * An event that keeps its order is written free, and nobody is told before its commit. The lock of a key is the lock in
 * the row of its oldest unfinished event, its head: a node that holds the head holds the key, and takes what follows in
 * order.
 *
 * <ol>
 *   <li><b>Look.</b> After a commit, and whenever this node has brought a key forward, it asks the store for the next events of
 *       the key: a run from the head on. If it gets none, another node holds the head and takes what follows, or the head is
 *       not due and its time brings the next look. Nothing is forgotten: either the new row was there before that node's last
 *       look, or this look comes after it.
 *   <li><b>One chain.</b> What came is a {@link KeyChain}. While it lasts, until the last outcome is durable, the key is not looked
 *       at. So nothing of a key that was read can have ended in between, and a node that is alone needs no locks.
 *   <li><b>Done.</b> The next event of a chain begins when the one before it is done. Over several nodes, not unless the lock of
 *       what was delivered before, and is not written yet, is certain to last: else another node might take that over, and
 *       both would have an event of the key.
 *   <li><b>Not done, or lost.</b> The chain ends, and what follows goes back. The key is looked at when the event is due again.
 *   <li><b>Sweep.</b> From time to time, and on hints, all keys are walked over, for what nobody has looked at and what dead nodes
 *       have left behind. A node takes as many keys as keep its workers busy, and leaves the others to the other nodes.
 *       Each lane has its own room: one whose listener hangs holds up no events of the others.
 * </ol>
 *
 * One thread looks, for all keys that have come up since its last look together.
 */
public final class KeyLoop implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");
    private static final ThreadFactory THREADS = new DaemonThreadFactory("outbox-keys-");

    /** How many events of one key a node holds. */
    private static final int LONGEST_RUN = 64;
    /** How many keys one statement looks at. */
    private static final int KEYS_PER_LOOK = 200;
    /** How many keys one statement walks over. */
    private static final int KEYS_PER_PAGE = 200;

    /** A call may fail because its connection was ended, and the next one succeed; so the first pauses are short. */
    private static final long FIRST_PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Hints come with every event that others leave; sweeps do not. */
    private static final long PAUSE_BETWEEN_SWEEPS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How much longer than a page of keys took to read the next one waits, where it showed nothing to do. */
    private static final int PATIENCE = 4;

    private final DeliveryBackend backend;
    private final OwnedEvents owned;
    private final KeyTarget target;
    private final StoreWatch watch;
    private final EngineMetrics metrics;
    private final Share share;
    private final Clock clock;
    private final KeySettings settings;
    private final KeyQueue queue = new KeyQueue();
    private final KeyMeter meter;
    private final KeyChains chains;
    /**
     * Held from the read of events until they are in chains, so that nothing changes what was read and is in no hands
     * yet.
     */
    private final Lock reading = new ReentrantLock();

    private final LostAnswers lost = new LostAnswers();
    private final Outage outage =
            new Outage(LOG, Level.ERROR, "Looking at keys failed; it is tried again", "Keys are looked at again");
    private volatile boolean isClosed;
    private volatile Thread thread;
    /** Where the sweep goes on, or {@code null} if none is under way; as what follows, used by one thread at a time. */
    private String cursor;

    private long sweepBeganAt;
    private boolean isSweepHeldBack;
    private boolean sweepFound;
    private final RestTime rest;
    /** Whom the sweep is for: all lanes, or those that an earlier one has passed over. */
    private Collection<? extends KeyLane> sweptFor = List.of();

    private boolean isWholeSweep;
    /**
     * Lanes for which a sweep has left keys to go on with others, since they had enough; swept for when they want more.
     */
    private final Set<KeyLane> passedOver = new HashSet<>();
    /** Where the first of these keys is. */
    private String passedOverFrom;
    /** Whether there are many more keys than this node needs, or no others, so that it need not leave any to them. */
    private boolean hasPlenty;

    private Openings openings = new Openings(EventTypes.ALL, Set.of());
    /** Until when events are due at most, for looks that must come to an end. */
    private volatile Instant latestDue = Instant.MAX;

    private volatile StoreTime storeTime = new StoreTime(Instant.EPOCH, 0);

    /** What would be taken now. */
    private record Openings(EventTypes wanted, Set<String> probes) {}

    /** A time of the store that is past, and when it was read. */
    private record StoreTime(Instant read, long atNanos) {

        /**
         * Returns about what time it is in the store, for what is due; whose lease has run out is told by what was
         * read.
         */
        Instant estimate() {
            return atNanos == 0 ? read : read.plusNanos(System.nanoTime() - atNanos);
        }
    }

    /** What the loop works with. */
    public record Engine(
            DeliveryBackend backend,
            OwnedEvents owned,
            CompletionWriter completion,
            StoreWatch watch,
            EngineMetrics metrics) {}

    /** @param share the memory that events take while they wait for those before them */
    public KeyLoop(Engine engine, KeyTarget target, Share share, Clock clock, KeySettings settings) {
        this.backend = engine.backend;
        this.owned = engine.owned;
        this.watch = engine.watch;
        this.metrics = engine.metrics;
        this.target = target;
        this.share = share;
        this.clock = clock;
        this.settings = settings;
        this.rest = settings.sweeps().restTime();
        this.meter = new KeyMeter(metrics);
        this.chains = new KeyChains(
                engine, target, share, settings.parks(), new KeyChains.Loop(queue, meter, clock, this::dueUntil));
    }

    /** Starts, unless it was started already. */
    public synchronized void start() {
        if (thread == null && !isClosed) {
            thread = THREADS.newThread(this::run);
            thread.start();
        }
    }

    /** Has a key looked at, since an event of it was committed. Never waits. */
    public void look(String key) {
        queue.add(key);
    }

    /** Has all keys looked at, since somebody else has written events. Never waits. */
    public void lookAtAll() {
        queue.sweepAfterLast(PAUSE_BETWEEN_SWEEPS_NANOS);
    }

    /** Makes a change while nothing is read that is in no chain yet. */
    public <T> T betweenLooks(Supplier<T> change) {
        reading.lock();
        try {
            return change.get();
        } finally {
            reading.unlock();
        }
    }

    /** Stops; what is in chains goes on as far as its lanes let it. */
    @Override
    public void close() {
        isClosed = true;
        queue.close();
        Thread current = thread;
        if (current == null) {
            return;
        }
        try {
            current.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        current.interrupt();
    }

    private void run() {
        long pauseNanos = FIRST_PAUSE_AFTER_FAILURE_NANOS;
        while (!isClosed) {
            try {
                await(awaitNanos());
                if (!isClosed) {
                    turn();
                }
                outage.over();
                pauseNanos = FIRST_PAUSE_AFTER_FAILURE_NANOS;
            } catch (InterruptedException e) {
                LOG.log(Level.DEBUG, "Interrupted while waiting for keys", e);
            } catch (RuntimeException | Error e) {
                if (!isClosed) {
                    outage.failed(e);
                    pause(pauseNanos);
                    pauseNanos = Math.min(2 * pauseNanos, PAUSE_AFTER_FAILURE_NANOS);
                }
            }
        }
    }

    private void await(long mostNanos) throws InterruptedException {
        queue.await(mostNanos, isOpen() && !openings.wanted.isNone(), mayBeginSweep());
    }

    /** While there is no room, or types are not wanted, looks into memory now and then whether that has changed. */
    private long awaitNanos() {
        boolean isWaiting = cursor != null || !passedOver.isEmpty() || !isOpen() || !openings.wanted.isAll();
        return isWaiting ? KeyChains.SHORT_PAUSE_NANOS : intervalNanos();
    }

    private void pause(long nanos) {
        try {
            Thread.sleep(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void turn() throws InterruptedException {
        Openings before = openings;
        openings = new Openings(target.wanted(), target.probes());
        if (!openings.equals(before) && !before.wanted.isAll()) {
            lookAtAll(); // for what was not wanted before
        }
        lookAtWanted();
        if (mayBeginSweep() && queue.isTimeToSweep()) {
            beginSweep();
        } else if (cursor == null && passedOver.stream().anyMatch(this::wantsMore)) {
            cursor = passedOverFrom;
            sweptFor = List.copyOf(passedOver);
            isWholeSweep = false;
            passedOver.clear();
        }
        while (!isClosed && cursor != null && isMoreWanted()) {
            long began = System.nanoTime();
            boolean found = sweepPage();
            lookAtWanted();
            if (!found && cursor != null) {
                await(Math.min(PATIENCE * (System.nanoTime() - began), KeyChains.SHORT_PAUSE_NANOS));
            }
        }
        if (cursor != null) {
            meter.reportLag(dueUntil());
        }
    }

    private boolean mayBeginSweep() {
        return cursor == null || !isWholeSweep;
    }

    /** Returns whether this node takes keys that it was not told to look at. */
    private boolean isMoreWanted() {
        return sweptFor.stream().anyMatch(this::wantsMore);
    }

    private boolean wantsMore(KeyLane lane) {
        return chains.load(lane).wantedKeys(hasPlenty) > 0;
    }

    /** Reads until when events are due now. */
    public Instant readDueUntil() {
        readStoreTime(target.lease());
        return dueUntil();
    }

    /**
     * Looks at every key once on the calling thread, for a loop that was not started; returns whether anything was
     * found.
     *
     * @param asOf what becomes due later is left
     */
    public boolean lookOnce(Instant asOf) {
        latestDue = asOf;
        try {
            openings = new Openings(target.wanted(), target.probes());
            boolean found = lookAtWanted();
            beginSweep();
            while (cursor != null && isMoreWanted()) {
                found |= sweepPage();
            }
            cursor = null;
            return found;
        } finally {
            latestDue = Instant.MAX;
        }
    }

    private void readStoreTime(Lease lease) {
        if (lease != null) {
            storeTime = new StoreTime(backend.currentTime(), System.nanoTime());
        }
    }

    private boolean isOpen() {
        return freePlaces() > 0;
    }

    /** Returns how many events have a place in the lane with the most room. */
    private int freePlaces() {
        return target.lanes().stream().mapToInt(KeyLane::coldRoom).max().orElse(0);
    }

    private boolean lookAtWanted() {
        boolean found = false;
        while (!isClosed && !openings.wanted.isNone() && isOpen()) {
            List<String> keys = queue.take(Math.min(KEYS_PER_LOOK, freePlaces()), this::mayBeLookedAt);
            if (keys.isEmpty()) {
                return found;
            }
            found |= look(keys, openings.wanted, mostFreeEvents());
        }
        return found;
    }

    /** Returns how many events the lane with the most room holds in addition; who looks does not know the types yet. */
    private int mostFreeEvents() {
        return chains.loads().stream().mapToInt(KeyLoad::freeEvents).max().orElse(0);
    }

    /** Returns whether nothing of the key is in this node's hands; if something is, its end brings the next look. */
    private boolean mayBeLookedAt(String key) {
        return !chains.has(key);
    }

    private void beginSweep() {
        queue.sweepBegins(intervalNanos());
        cursor = "";
        sweptFor = target.lanes();
        isWholeSweep = true;
        passedOver.clear();
        meter.walkBegins();
        sweepBeganAt = System.nanoTime();
        isSweepHeldBack = false;
        sweepFound = false;
    }

    private long intervalNanos() {
        return TimeUnit.MILLISECONDS.toNanos(settings.sweeps().intervalMs());
    }

    /** Looks at the next keys of a sweep; returns whether there was anything to do. */
    private boolean sweepPage() {
        Lease lease = target.lease();
        readStoreTime(lease);
        String from = cursor;
        List<KeyHead> heads = backend.keyHeads(from, KEYS_PER_PAGE);
        cursor = heads.size() < KEYS_PER_PAGE
                ? null
                : heads.get(heads.size() - 1).key();
        meter.seen(heads);
        List<KeyHead> ready = ready(heads, lease);
        Map<String, Duration> leftToOthers = target.leftToOthers();
        Set<String> probes = new HashSet<>(openings.probes);
        Map<KeyLane, List<String>> wanted = new LinkedHashMap<>();
        boolean found = false;
        for (KeyHead head : ready) {
            Duration wait = leftToOthers.get(head.eventType());
            if (wait != null) {
                boolean isOverdue = !head.availableAt().plus(wait).isAfter(dueUntil());
                found |= isOverdue && lookAtHead(head);
            } else if (probes.remove(head.eventType())) {
                found |= lookAtHead(head);
            } else if (openings.wanted.contains(head.eventType())) {
                wanted.computeIfAbsent(target.laneOf(head.eventType()), lane -> new ArrayList<>())
                        .add(head.key());
            }
        }
        int keys = wanted.values().stream().mapToInt(List::size).sum();
        hasPlenty = lease == null || (cursor != null && keys >= KEYS_PER_PAGE / 2);
        Map<String, KeyLane> left = new HashMap<>();
        for (Map.Entry<KeyLane, List<String>> ofLane : wanted.entrySet()) {
            found |= take(ofLane.getKey(), ofLane.getValue(), left);
        }
        if (!left.isEmpty()) {
            leave(left, heads, from);
        }
        sweepFound |= found;
        if (cursor == null && isWholeSweep) {
            if (sweepFound) {
                rest.found();
            }
            queue.sweepIn(TimeUnit.MILLISECONDS.toNanos(settings.sweeps().restMs(rest)));
            meter.walkEnds(dueUntil());
            lost.walked(sweepBeganAt, types -> true);
            if (!lost.isEmpty() || isSweepHeldBack) {
                queue.sweepIn(PAUSE_AFTER_FAILURE_NANOS);
            }
        }
        return found;
    }

    private List<KeyHead> ready(List<KeyHead> heads, Lease lease) {
        Instant due = dueUntil();
        Instant expiry = lockExpiry(lease);
        return heads.stream()
                .filter(head -> mayBeLookedAt(head.key()) && isReady(head, lease, due, expiry))
                .toList();
    }

    private boolean lookAtHead(KeyHead head) {
        return look(
                List.of(head.key()),
                EventTypes.only(head.eventType()),
                chains.load(target.laneOf(head.eventType())).freeEvents());
    }

    /**
     * Takes as many of these keys as their lane wants; returns whether anything came, and adds the others to those
     * left.
     */
    private boolean take(KeyLane lane, List<String> keys, Map<String, KeyLane> left) {
        KeyLoad load = chains.load(lane);
        int most = Math.min(load.wantedKeys(hasPlenty), keys.size());
        keys.subList(most, keys.size()).forEach(key -> left.put(key, lane));
        return most > 0 && look(keys.subList(0, most), openings.wanted, load.freeEvents());
    }

    /** Has the sweep go on at the first of these keys; behind them, if there are lanes that want more. */
    private void leave(Map<String, KeyLane> keys, List<KeyHead> heads, String from) {
        String before = from;
        for (KeyHead head : heads) {
            if (keys.containsKey(head.key())) {
                break;
            }
            before = head.key();
        }
        if (!isMoreWanted()) {
            cursor = before;
            return;
        }
        if (passedOver.isEmpty()) {
            passedOverFrom = before;
        }
        passedOver.addAll(keys.values());
    }

    private boolean isReady(KeyHead head, Lease lease, Instant due, Instant expiry) {
        if (lease == null) {
            return !head.availableAt().isAfter(due);
        }
        if (head.lockedBy() != null && lost.holders().contains(head.lockedBy())) {
            return true;
        }
        if (!watch.isReliable() && head.lockedBy() != null && head.lockedAt() != null) {
            isSweepHeldBack |= head.lockedAt().isBefore(storeTime.read.minus(lease.duration()));
        }
        return head.isReady(due, expiry);
    }

    /** Returns until when events are due: by the clock of the writers, or of the store if that is ahead. */
    private Instant dueUntil() {
        Instant now = clock.instant();
        Instant inStore = storeTime.estimate();
        Instant latest = now.isAfter(inStore) ? now : inStore;
        return latest.isAfter(latestDue) ? latestDue : latest;
    }

    private Instant lockExpiry(Lease lease) {
        return lease == null || !watch.isReliable() || storeTime.atNanos == 0
                ? Instant.EPOCH
                : storeTime.read.minus(lease.duration());
    }

    /** Asks the store for the next events of these keys, and begins with what comes; returns whether anything did. */
    private boolean look(List<String> keys, EventTypes wanted, int freeEvents) {
        return betweenLooks(() -> lookAlone(keys, wanted, longestRun(freeEvents, keys.size())));
    }

    private boolean lookAlone(List<String> keys, EventTypes wanted, int run) {
        Lease lease = target.lease();
        long sentAt = owned.now();
        KeyedPage page;
        try {
            page = backend.claimKeyed(new KeyedRequest(
                    lease,
                    dueUntil(),
                    lockExpiry(lease),
                    leftBehind(),
                    wanted,
                    keys,
                    new KeyedRequest.Limit(run, Math.max(1, share.room()))));
        } catch (RuntimeException | Error e) {
            if (lease != null && !(e instanceof OutboxBackendException failure && failure.isWithoutEffect())) {
                lost.add(lease.holder(), EventTypes.ALL);
            }
            keys.forEach(queue::add);
            throw e;
        }
        if (page.takenOver() > 0) {
            metrics.incrementRecovered(page.takenOver());
        }
        meter.looked(keys.size(), page);
        try {
            chains.handOver(page, lease == null ? null : lease.holder(), sentAt);
        } catch (RuntimeException | Error e) {
            if (lease != null) {
                // what is in no chain is taken back, and need not wait for the end of the lease
                lost.add(lease.holder(), EventTypes.ALL);
            }
            keys.forEach(queue::add);
            throw e;
        }
        return !page.events().isEmpty();
    }

    private LostClaims leftBehind() {
        return lost.isEmpty() ? LostClaims.NONE : new LostClaims(lost.holders(), owned.heldBy(lost.holders()));
    }

    private static int longestRun(int freeEvents, int keys) {
        return Math.max(1, Math.min(LONGEST_RUN, freeEvents / keys));
    }
}
