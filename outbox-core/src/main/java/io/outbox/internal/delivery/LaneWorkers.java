package io.outbox.internal.delivery;

import io.outbox.BatchEventListener;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a lane: each takes a batch from the queue, waits for its turn, and delivers it, with several
 * {@linkplain Underway under way} where the listener can do that.
 *
 * <p>Those of the lane that most types share are always there. Those of a type with a lane of its own come when there
 * are events for them and go when there have been none for a while: a hundred types at rest have no thread.
 *
 * <p>No event waits for a worker that does not come. A worker leaves only under the lock of the queue, when that is
 * empty; whoever offers events calls one by {@link #come} afterwards, and so finds the worker gone. A worker that has
 * taken its share calls the next for what is left, so that all come for a page.
 *
 * <p>If none has come for what is queued for too long, it is given back, and the lane stands still until one comes.
 */
final class LaneWorkers {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    /** How long a delivery on a caller's thread waits for a store that does not renew locks. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LaneRoom room;
    private final DispatchQueue queue;
    private final LaneTargets targets;
    private final LaneSettings.Pace pace;
    private final BatchDelivery delivery;
    private final Routing routing;
    private final RateLimiter rateLimiter;
    private final ExecutorService threads;
    private final int most;
    private final long mostIdleNanos;
    private final boolean strictOrder;
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger free = new AtomicInteger();
    private final AtomicInteger delivering = new AtomicInteger();
    private volatile long movedAtNanos = System.nanoTime();
    private volatile boolean started;
    private volatile boolean forced;

    LaneWorkers(
            LaneRoom room, LaneTargets targets, LaneSettings settings, BatchDelivery delivery, LaneContext context) {
        this.room = room;
        this.queue = room.queue();
        this.targets = targets;
        this.pace = settings.pace();
        this.delivery = delivery;
        this.routing = context.routing();
        int maxPerSecond = settings.pace().maxPerSecond();
        this.rateLimiter = maxPerSecond == 0 ? null : new RateLimiter(maxPerSecond);
        this.threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 0, TimeUnit.NANOSECONDS, new SynchronousQueue<>(), context.threads());
        this.strictOrder = settings.strictOrder();
        this.most = settings.workers().most();
        this.mostIdleNanos = settings.workers().mostIdle() == null
                ? Long.MAX_VALUE
                : settings.workers().mostIdle().toNanos();
    }

    void start() {
        started = true;
        if (mostIdleNanos == Long.MAX_VALUE) {
            while (present.get() < most) {
                startOne();
            }
        } else {
            come();
        }
    }

    /**
     * Calls another worker if those that wait are too few for what is queued, and not all are there. Does not throw.
     */
    void come() {
        if (started && present.get() < most && queue.isShortOfWorkers()) {
            try {
                startOne();
            } catch (RuntimeException | Error e) {
                LOG.log(
                        threads.isShutdown() ? Level.DEBUG : Level.ERROR,
                        "No worker can be started for what is queued; the next event and the next poll try again",
                        e);
            }
        }
    }

    private void startOne() {
        if (present.incrementAndGet() > most) {
            present.decrementAndGet();
            return;
        }
        try {
            threads.execute(this::work);
        } catch (RuntimeException | Error e) {
            present.decrementAndGet();
            throw e;
        }
    }

    /** Gives back what is queued if no worker has come for it for that long; until one comes, nothing more is taken. */
    void giveBackIfStandingStill(Duration longest) {
        boolean moved = System.nanoTime() - movedAtNanos <= longest.toNanos();
        if (moved || queue.longestWaitNanos() <= longest.toNanos()) {
            return;
        }
        if (started && present.get() < most) { // they are called only now, or cannot be: nobody is kept from coming
            come();
            if (present.get() == 0) {
                targets.giveBackQueued(() -> {});
            }
            return;
        }
        room.standStill();
        if (free.get() > 0) {
            room.moveOn(); // the process stood still, and its workers are about to go on
            return;
        }
        LOG.log(
                Level.WARNING,
                "No worker of {0} has taken an event for {1}; those queued are left to other nodes",
                targets.laneName(),
                DurationText.of(longest));
        targets.giveBackQueued(() -> {});
    }

    /** Notes that a worker has come for events; before it looks for them, so that it is not missed. */
    private void comes() {
        free.incrementAndGet();
        if (room.standsStill()) {
            movedAtNanos = System.nanoTime();
            room.moveOn();
        }
    }

    /** Notes that a worker goes with that many events. */
    private void goes(int events) {
        free.decrementAndGet();
        if (events > 0) {
            movedAtNanos = System.nanoTime();
            room.taken(events);
        }
    }

    /** Returns how many events are with a listener. */
    int delivering() {
        return delivering.get();
    }

    /** Takes no more work once the queue is empty. */
    void beginClose() {
        threads.shutdown();
    }

    /** Waits for the workers to end by themselves; returns false if they have not by the deadline. */
    boolean awaitEnd(long deadlineNanos) throws InterruptedException {
        return !started
                || threads.awaitTermination(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    /** Interrupts listeners that have not ended; what they have is given back unless it succeeds. */
    void force() {
        forced = true;
        threads.shutdownNow();
    }

    private void work() {
        Batch inHand = new Batch();
        Underway underway = new Underway(queue::wakeForAnswer, () -> forced, events -> delivering.addAndGet(-events));
        while (true) {
            try {
                giveBack(inHand); // what was taken before something failed
                underway.endAnswered();
                if (!underway.hasRoom()) {
                    underway.endFirst();
                    continue;
                }
                take(inHand, underway);
                if (inHand.isEmpty()) {
                    if (underway.isEmpty()) {
                        return;
                    }
                    underway.endFirst();
                    continue;
                }
                Batch batch = inHand;
                inHand = new Batch();
                if (!mayJoin(batch, underway)) {
                    underway.endAll();
                }
                if (letThrough(batch, underway)) {
                    begin(batch, underway);
                }
            } catch (InterruptedException e) {
                if (forced) {
                    underway.endAll();
                    return;
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "A worker failed outside of a listener; it continues", e);
            }
        }
    }

    /**
     * Returns whether a batch may begin while others are under way; a listener that does not return soon keeps them
     * waiting.
     */
    private static boolean mayJoin(Batch batch, Underway underway) {
        return batch.recipient().listener() instanceof BatchEventListener.Pipelined
                && underway.isJoinedBy(batch.events());
    }

    private void begin(Batch batch, Underway underway) {
        delivering.addAndGet(batch.size());
        BatchDelivery.Run run = delivery.begin(batch, () -> forced);
        delivering.addAndGet((run == null ? 0 : run.events().size()) - batch.size());
        if (run != null) {
            underway.add(run);
            if (strictOrder) {
                underway.endAll();
            }
        }
    }

    private void giveBack(Batch inHand) {
        List<HeldEvent> events = inHand.events();
        while (!events.isEmpty()) {
            int last = events.size() - 1;
            targets.giveBack(List.of(events.get(last)));
            events.remove(last);
        }
    }

    /**
     * Takes the next batch; it stays empty if there is something else to do. While batches are under way the next one
     * begins when it is full, so that there are no more calls than if each had been waited for; meanwhile this worker
     * counts as busy.
     */
    private void take(Batch batch, Underway underway) throws InterruptedException {
        boolean isFree = underway.isEmpty();
        if (isFree) {
            comes();
        }
        try {
            if (isFree) {
                queue.take(batch.events(), first -> batchSize(batch, first), mostIdleNanos, present::decrementAndGet);
            } else {
                queue.takeFull(batch.events(), first -> batchSize(batch, first), underway::isFirstAnswered);
            }
        } finally {
            if (!isFree && !batch.isEmpty()) {
                comes();
                isFree = true;
            }
            if (isFree) {
                goes(batch.size());
                come();
            }
        }
    }

    /** Waits until the rate allows the batch; gives it back and returns false if it must not be delivered now. */
    private boolean letThrough(Batch batch, Underway underway) throws InterruptedException {
        try {
            if (rateLimiter != null) {
                rateLimiter.acquire(batch.size(), underway::endAll);
            }
        } catch (InterruptedException e) {
            targets.giveBack(batch.events());
            throw e;
        }
        if (room.isPaused()) {
            targets.giveBack(batch.events());
            return false;
        }
        return true;
    }

    private int batchSize(Batch batch, HeldEvent first) {
        batch.addressTo(routing.recipientOf(first.envelope()));
        int most = batch.recipient().batchSize();
        most = pace.batchSize() > 0 ? Math.min(most, pace.batchSize()) : most;
        return pace.maxPerSecond() > 0 ? Math.min(most, pace.maxPerSecond()) : most;
    }

    /** Delivers one batch on the calling thread; returns its size, or 0 if nothing is queued. */
    int deliverNext() {
        Batch batch = new Batch();
        comes();
        try {
            queue.poll(batch.events(), first -> batchSize(batch, first));
        } catch (RuntimeException | Error e) {
            giveBack(batch);
            throw e;
        } finally {
            goes(batch.size());
        }
        if (!batch.isEmpty()) {
            deliver(batch);
        }
        return batch.size();
    }

    private void deliver(Batch batch) {
        long patientUntil = System.nanoTime() + PATIENCE_NANOS;
        delivering.addAndGet(batch.size());
        try {
            BatchDelivery.Run run = delivery.begin(batch, () -> forced || System.nanoTime() - patientUntil >= 0);
            if (run != null) {
                run.end(() -> forced);
            }
        } finally {
            delivering.addAndGet(-batch.size());
        }
    }
}
