package io.outbox.internal.delivery;

import io.outbox.internal.ownership.HeldEvent;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The threads of a lane: each takes a batch from the queue, waits for its turn, and delivers it.
 *
 * <p>Those of the lane that most types share are always there. Those of a type with a lane of its own come when there
 * are events for them and go when there have been none for a while: a hundred types at rest have no thread.
 *
 * <p>No event waits for a worker that does not come. A worker leaves only under the lock of the queue, when that is empty;
 * whoever offers events calls one by {@link #come} afterwards, and so finds the worker gone. A worker that has taken its
 * share calls the next for what is left, so that all come for a page.
 */
final class LaneWorkers {

    private static final System.Logger LOG = System.getLogger(LaneWorkers.class.getName());
    /** How long a delivery on a caller's thread waits for a store that does not renew locks. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Lane lane;
    private final LaneSettings settings;
    private final BatchDelivery delivery;
    private final RateLimiter rateLimiter;
    private final ExecutorService threads;
    private final int most;
    private final long mostIdleNanos;
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger delivering = new AtomicInteger();
    private volatile boolean started;
    private volatile boolean forced;

    LaneWorkers(Lane lane, LaneSettings settings, BatchDelivery delivery, ThreadFactory threadFactory) {
        this.lane = lane;
        this.settings = settings;
        this.delivery = delivery;
        int maxPerSecond = settings.pace().maxPerSecond();
        this.rateLimiter = maxPerSecond == 0 ? null : new RateLimiter(maxPerSecond);
        this.threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 0, TimeUnit.NANOSECONDS, new SynchronousQueue<>(), threadFactory);
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

    /** Calls another worker if those that wait are too few for what is queued, and not all are there. Does not throw. */
    void come() {
        if (started && present.get() < most && lane.queue().isShortOfWorkers()) {
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

    /** Returns whether there are fewer workers than there may be, of those that come by themselves. */
    boolean areMissing() {
        return started && present.get() < most;
    }

    boolean isAnyPresent() {
        return present.get() > 0;
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
        List<HeldEvent> inHand = new ArrayList<>(1);
        while (true) {
            try {
                giveBack(inHand); // what was taken before something failed
                take(inHand);
                if (inHand.isEmpty()) {
                    return;
                }
                List<HeldEvent> batch = inHand;
                inHand = new ArrayList<>(1);
                if (passes(batch)) {
                    deliver(batch, () -> forced);
                }
            } catch (InterruptedException e) {
                if (forced) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "A worker failed outside of a listener; it carries on", e);
            }
        }
    }

    private void giveBack(List<HeldEvent> inHand) {
        while (!inHand.isEmpty()) {
            int last = inHand.size() - 1;
            lane.giveBack(List.of(inHand.get(last)));
            inHand.remove(last);
        }
    }

    private void take(List<HeldEvent> batch) throws InterruptedException {
        lane.workerComes();
        try {
            lane.queue().take(batch, this::batchSize, mostIdleNanos, present::decrementAndGet);
        } finally {
            lane.workerGoes(batch.size());
            come();
        }
    }

    /** Waits until the rate allows the batch; gives it back and returns false if it must not be delivered now. */
    private boolean passes(List<HeldEvent> batch) throws InterruptedException {
        try {
            if (rateLimiter != null) {
                rateLimiter.acquire(batch.size());
            }
        } catch (InterruptedException e) {
            lane.giveBack(batch);
            throw e;
        }
        if (lane.isPaused()) {
            lane.giveBack(batch);
            return false;
        }
        return true;
    }

    private int batchSize(HeldEvent event) {
        int most = delivery.batchSize(event);
        int own = settings.pace().batchSize();
        int perSecond = settings.pace().maxPerSecond();
        most = own > 0 ? Math.min(most, own) : most;
        return perSecond > 0 ? Math.min(most, perSecond) : most;
    }

    /** Delivers one batch on the calling thread; returns its size, or 0 if nothing is queued. */
    int deliverNext() {
        List<HeldEvent> batch = new ArrayList<>(1);
        lane.workerComes();
        try {
            lane.queue().poll(batch, this::batchSize);
        } catch (RuntimeException | Error e) {
            giveBack(batch);
            throw e;
        } finally {
            lane.workerGoes(batch.size());
        }
        if (!batch.isEmpty()) {
            long patientUntil = System.nanoTime() + PATIENCE_NANOS;
            deliver(batch, () -> forced || System.nanoTime() - patientUntil >= 0);
        }
        return batch.size();
    }

    private void deliver(List<HeldEvent> batch, BooleanSupplier givesUp) {
        delivering.addAndGet(batch.size());
        try {
            delivery.deliver(batch, () -> forced, givesUp);
        } finally {
            delivering.addAndGet(-batch.size());
        }
    }
}
