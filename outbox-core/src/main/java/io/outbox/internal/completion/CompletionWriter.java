package io.outbox.internal.completion;

import io.outbox.CompletionListener;
import io.outbox.internal.completion.Unwritten.Progress;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.watch.Turns;
import io.outbox.model.EventStatus;
import io.outbox.spi.DeliveryBackend;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * Makes outcomes durable, in batches that form by themselves, and gives events back that end without one.
 *
 * <p>Workers put outcomes into a bounded queue; one thread writes whatever has accumulated since its previous write
 * began: a single row at low load, at once, and hundreds at high load. In between, where a fast database would get a
 * commit for every few rows, it leaves a pause between two writes, so that each is worth its commit: those commits
 * compete with the application's. While the store is down the thread keeps what it has in hand and tries again, at
 * once when any other call succeeds; the queue fills, and workers stall on it, so memory stays bounded and nothing is
 * lost. An event is counted, and its hold closed, only once its outcome is durable.
 *
 * <p>Here is when to write. {@link Unwritten} is what to write, {@link OutcomeWriter} what to do about outcomes that
 * the store does not take, {@link HoldEnds} how holds end, and {@link Durable} who is told.
 */
public final class CompletionWriter {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final ThreadFactory THREADS = new DaemonThreadFactory("outbox-completion-");

    /** Outcomes waiting that are worth a commit without a pause. */
    private static final int ENOUGH = 128;

    /** Time between two writes of less than that. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long a worker waits for room before it looks whether the end has come. */
    private static final long LOOK_UP_MS = 500;

    private final Durable durable;
    private final HoldEnds ends;
    private final Unwritten unwritten;
    private final Turns turns = new Turns();
    private final Signal work = new Signal();
    private final Signal storeAnswers = new Signal();
    private volatile Thread thread;
    private volatile Phase phase = Phase.NOT_STARTED;
    private volatile long giveUpAtNanos;
    /** When the last write ended. Used by the writer's thread alone. */
    private long writtenAtNanos = System.nanoTime() - PAUSE_NANOS;

    /**
     * Who is told of durable outcomes.
     *
     * @param listeners told of each event that has ended
     * @param moves told of events that become dead letters, or {@code null} for nobody
     * @param ends told of each id that has ended, and how, before the listeners
     */
    public record Told(List<CompletionListener> listeners, Moves moves, BiConsumer<String, EventStatus> ends) {

        public Told(List<CompletionListener> listeners, Moves moves) {
            this(listeners, moves, (eventId, status) -> {});
        }
    }

    public CompletionWriter(DeliveryBackend backend, OwnedEvents owned, EngineMetrics metrics, Told told, Alarm alarm) {
        this.durable = new Durable(metrics, told, alarm);
        this.ends = new HoldEnds(backend, owned, work, alarm);
        this.unwritten = new Unwritten(ends, new OutcomeWriter(backend, metrics, durable, ends, turns));
    }

    /** Starts the writer's thread, unless it runs already. */
    public synchronized void start() {
        if (phase == Phase.NOT_STARTED) {
            phase = Phase.RUNNING;
            thread = THREADS.newThread(this::run);
            thread.start();
        }
    }

    /** Hands over an outcome; waits while the queue is full. */
    public void submit(Completion completion) {
        queue(durable.needsEvent(completion.outcome()) ? completion : completion.withoutEvent());
    }

    private void queue(Completion completion) {
        boolean interrupted = false;
        while (true) {
            try {
                if (unwritten.offer(completion, LOOK_UP_MS)) {
                    work.give();
                    writeIfClosed();
                    break;
                }
                if (closingTimedOut()) {
                    LOG.log(
                            Level.WARNING,
                            "The outcome of event {0} cannot be written before shutdown; it is delivered again later",
                            completion.hold().eventId());
                    break;
                }
                if (phase == Phase.NOT_STARTED) {
                    flush(Duration.ofMillis(LOOK_UP_MS));
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Gives an event back: releases its lock in the store, if it has one, closes the hold, and tells the poller once
     * the lock is released. Never waits while open.
     */
    public void giveBack(Hold hold) {
        ends.giveBack(hold);
        writeIfClosed();
    }

    /** Returns whether events that are given back lose their lock in the store, or keep it until it has run out. */
    public boolean releasesLocks() {
        return ends.releasesLocks();
    }

    /** Closes the hold of an event that another node has taken over. */
    public void letGo(Hold hold) {
        ends.close(hold);
        writeIfClosed();
    }

    /** Writes what comes after the end, of a listener that outlived it, unless the store still does not answer. */
    private void writeIfClosed() {
        if (phase == Phase.CLOSED && !isThreadAlive()) {
            unwritten.abandon(flush(Duration.ZERO));
        }
    }

    private boolean isThreadAlive() {
        Thread current = thread;
        return current != null && current.isAlive();
    }

    /** Ends a wait for the store, because a call of somebody else has succeeded. */
    public void storeAnswers() {
        storeAnswers.give();
    }

    /**
     * Called before a page is claimed: no hold ends until it has been handed over, if what is claimed cannot be given
     * back.
     */
    public void claimBegins() {
        if (!releasesLocks()) {
            turns.begin();
        }
    }

    /** Called when the page has been handed over. */
    public void claimEnds() {
        turns.end();
    }

    /**
     * Writes everything handed over so far on the calling thread, while the writer's own thread does not run.
     *
     * @return false if the store did not take it within the given time; it is kept
     */
    public boolean flush(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            Progress progress = unwritten.writeNext(phase);
            if (progress == Progress.NOTHING) {
                return true;
            }
            if (progress == Progress.FAILED) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                awaitStore(Math.min(unwritten.backoffNanos(), left));
            }
        }
    }

    private void run() {
        while (!phase.isEnd()) {
            try {
                awaitWork();
                writeAll();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "The completion of events failed outside of the store; it continues", e);
                work.give();
            }
        }
    }

    private void awaitWork() {
        try {
            work.await(unwritten.nanosToNext());
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "Interrupted while waiting for outcomes", e);
        }
    }

    private void writeAll() {
        Progress progress;
        do {
            pauseAfterTheLast();
            progress = unwritten.writeNext(phase);
            writtenAtNanos = System.nanoTime();
            if (progress == Progress.FAILED) {
                if (closingTimedOut() || Thread.currentThread().isInterrupted()) {
                    return;
                }
                awaitStore(unwritten.backoffNanos());
            }
        } while (progress != Progress.NOTHING);
    }

    private void pauseAfterTheLast() {
        long left = PAUSE_NANOS - (System.nanoTime() - writtenAtNanos);
        if (left > 0 && unwritten.waiting() < ENOUGH && !phase.isEnd()) {
            LockSupport.parkNanos(left);
        }
    }

    private void awaitStore(long nanos) {
        try {
            storeAnswers.forget();
            storeAnswers.await(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes what is left, for at most the given time, and stops. */
    public void close(Duration timeout) {
        giveUpAtNanos = System.nanoTime() + timeout.toNanos();
        phase = Phase.CLOSING;
        work.give();
        storeAnswers.give();
        awaitThread(timeout.plusNanos(Unwritten.LONGEST_BACKOFF_NANOS));
        phase = Phase.CLOSED;
        if (isThreadAlive() || !unwritten.doAlone(nanosToGiveUp(), this::writeLast)) {
            LOG.log(
                    Level.WARNING,
                    "The store does not answer; events whose outcomes are unwritten are delivered again later");
        }
        durable.close();
    }

    private void awaitThread(Duration patience) {
        Thread current = thread;
        if (current == null) {
            return;
        }
        try {
            current.join(patience.toMillis() + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        current.interrupt();
    }

    /** Writes what came too late for the thread. */
    private void writeLast() {
        unwritten.abandon(flush(Duration.ofNanos(nanosToGiveUp())));
    }

    private long nanosToGiveUp() {
        return Math.max(0, giveUpAtNanos - System.nanoTime());
    }

    private boolean closingTimedOut() {
        return phase.isEnd() && System.nanoTime() - giveUpAtNanos >= 0;
    }
}
