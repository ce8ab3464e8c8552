package io.outbox.upkeep;

import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/**
 * Work that repeats by itself, one piece at a time, on a daemon thread: purges, clean-ups, transfers. It is started
 * once and closed for good. Thread-safe.
 */
public final class Chores implements AutoCloseable {

    private final String name;
    private final ScheduledExecutorService scheduler;
    private boolean started;
    private volatile boolean closed;

    /** @param name what the chores belong to, as messages call it */
    public Chores(String name, String threadPrefix) {
        this.name = Objects.requireNonNull(name, "name");
        this.scheduler = Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory(threadPrefix));
    }

    /**
     * Schedules the work, unless that was done already.
     *
     * @param scheduling calls {@link #repeat} for each piece of work
     * @throws IllegalStateException after {@link #close()}
     */
    public synchronized void start(Runnable scheduling) {
        if (closed) {
            throw new IllegalStateException("The " + name + " is closed; build a new one");
        }
        if (!started) {
            started = true;
            scheduling.run();
        }
    }

    /**
     * Runs the work after the first delay, and again each time that the other has passed since it ended. It must not
     * throw.
     */
    public void repeat(Duration initialDelay, Duration fixedDelay, Runnable work) {
        scheduler.scheduleWithFixedDelay(work, initialDelay.toMillis(), fixedDelay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Works in batches until one is not full or this is closed. A failure ends that, and is reported to the outage.
     *
     * @param batch does no more than the given number, and returns how many it did
     * @return how many were done, also before a failure
     */
    public long inBatches(Outage outage, int size, IntUnaryOperator batch) {
        long all = 0;
        try {
            int done;
            do {
                done = batch.applyAsInt(size);
                all += done;
            } while (done >= size && !closed);
            outage.over();
        } catch (RuntimeException | Error e) {
            outage.failed(e);
        }
        return all;
    }

    /** Returns whether it is closed, for work that ends early then. */
    public boolean isClosed() {
        return closed;
    }

    /** Starts no more work, and waits a while for what is under way: it ends after its current batch. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            scheduler.shutdown();
        }
        Shutdown.await(scheduler);
    }
}
