package io.outbox.internal.delivery;

import io.outbox.internal.ownership.HeldEvent;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** The threads of a lane: each takes a batch from the queue, waits for its turn, and delivers it. */
final class LaneWorkers {

    private static final System.Logger LOG = System.getLogger(LaneWorkers.class.getName());
    /** How long a delivery on a caller's thread waits for a store that does not renew locks. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Lane lane;
    private final LaneSettings settings;
    private final BatchDelivery delivery;
    private final RateLimiter rateLimiter;
    private final ExecutorService threads;
    private final AtomicInteger delivering = new AtomicInteger();
    private volatile boolean started;
    private volatile boolean forced;

    LaneWorkers(Lane lane, LaneSettings settings, BatchDelivery delivery, ThreadFactory threadFactory) {
        this.lane = lane;
        this.settings = settings;
        this.delivery = delivery;
        int maxPerSecond = settings.pace().maxPerSecond();
        this.rateLimiter = maxPerSecond == 0 ? null : new RateLimiter(maxPerSecond);
        this.threads = Executors.newFixedThreadPool(settings.workers(), threadFactory);
    }

    void start() {
        started = true;
        for (int i = 0; i < settings.workers(); i++) {
            threads.execute(this::work);
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
        while (true) {
            try {
                List<HeldEvent> batch = take();
                if (batch.isEmpty()) {
                    return;
                }
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

    private List<HeldEvent> take() throws InterruptedException {
        List<HeldEvent> batch = List.of();
        lane.workerComes();
        try {
            batch = lane.queue().take(this::batchSize);
            return batch;
        } finally {
            lane.workerGoes(batch.size());
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
        lane.workerComes();
        List<HeldEvent> batch = lane.queue().poll(this::batchSize);
        lane.workerGoes(batch.size());
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
