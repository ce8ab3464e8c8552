package io.outbox.internal.completion;

import io.outbox.CompletionListener;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventTypes;
import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

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
 * <p>To give an event back is one act for every reason there is, a full queue, a pause, a circuit, the end: its lock in
 * the store is released, if it has one, and then its hold is closed.
 */
public final class CompletionWriter {

    private static final System.Logger LOG = System.getLogger(CompletionWriter.class.getName());

    private static final int CAPACITY = 2048;
    private static final int MAX_BATCH = 512;
    /** Outcomes waiting that are worth a commit without a pause. */
    private static final int ENOUGH = 128;

    /** Time between two writes of less than that. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long FIRST_BACKOFF_MS = 50;
    private static final long MAX_BACKOFF_MS = 250;
    /** How long a worker waits for room before it looks whether the end has come. */
    private static final long LOOK_UP_MS = 500;

    private final DeliveryBackend backend;
    private final OwnedEvents owned;
    private final Durable durable;
    private final Alarm alarm;
    private final Turns turns = new Turns();
    private final OutcomeWriter outcomes;
    private final BlockingQueue<Completion> completions = new ArrayBlockingQueue<>(CAPACITY);
    private final Releases releases;
    private final Signal work = new Signal();
    private final Signal storeAnswers = new Signal();
    private final Thread thread;
    private final ReentrantLock writing = new ReentrantLock();
    /** What is being written, or is to be written again. Guarded by the lock, as what follows. */
    private final Map<Hold, Completion> inHand = new LinkedHashMap<>();

    /** What was taken from the queue; it leaves from here when it is in hand, so that nothing that fails loses it. */
    private final Queue<Completion> taken = new ArrayDeque<>(MAX_BATCH);

    private final Outage outage = new Outage(
            LOG,
            Level.ERROR,
            "Cannot write outcomes; they are tried again until the store takes them",
            "The store takes outcomes again");
    private int failures;
    /** When the last write ended. Used by the writer's thread alone. */
    private long writtenAtNanos = System.nanoTime() - PAUSE_NANOS;

    private volatile boolean closing;
    private volatile boolean stopped;
    private volatile long giveUpAtNanos;

    /**
     * Who is told of durable outcomes.
     *
     * @param listeners told of each event that has ended
     * @param moves told of events that become dead letters, or {@code null} for nobody
     */
    public record Told(List<CompletionListener> listeners, Moves moves) {}

    public CompletionWriter(DeliveryBackend backend, OwnedEvents owned, EngineMetrics metrics, Told told, Alarm alarm) {
        this.backend = backend;
        this.owned = owned;
        this.durable = new Durable(metrics, told.listeners(), alarm);
        this.alarm = alarm;
        this.releases = new Releases(backend);
        this.outcomes = new OutcomeWriter(backend, metrics, this::written, quiet(told.moves()), turns);
        this.thread = new DaemonThreadFactory("outbox-completion-").newThread(this::run);
    }

    /** Starts the writer's thread, unless it runs already. */
    public void start() {
        if (thread.getState() == Thread.State.NEW) {
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
                if (completions.offer(completion, LOOK_UP_MS, TimeUnit.MILLISECONDS)) {
                    work.give();
                    writeIfStopped();
                    break;
                }
                if (closingTimedOut()) {
                    LOG.log(
                            Level.WARNING,
                            "The outcome of event {0} cannot be written before the end; it is delivered again later",
                            completion.hold().eventId());
                    break;
                }
                if (thread.getState() == Thread.State.NEW) {
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
     * Gives an event back: releases its lock in the store, if it has one, closes the hold, and tells the poller once the
     * lock is released. Never waits while open.
     */
    public void giveBack(Hold hold) {
        if (hold.holder() == null || !releasesLocks()) {
            close(hold);
            return;
        }
        releases.add(hold);
        work.give();
        writeIfStopped();
    }

    /** Returns whether events that are given back lose their lock in the store, or keep it until it has run out. */
    public boolean releasesLocks() {
        return backend.supports(Capability.RELEASE);
    }

    /** Writes what comes after the end, of a listener that outlived it, unless the store still does not answer. */
    private void writeIfStopped() {
        if (stopped && !thread.isAlive()) {
            abandon(flush(Duration.ZERO));
        }
    }

    /** Closes the hold of an event that another node has taken over. */
    public void letGo(Hold hold) {
        close(hold);
    }

    private void close(Hold hold) {
        Hold unwantedClaim = owned.close(hold);
        if (unwantedClaim != null) {
            giveBack(unwantedClaim);
        }
    }

    /** Ends a wait for the store, because a call of somebody else has succeeded. */
    public void storeAnswers() {
        storeAnswers.give();
    }

    /**
     * Writes everything handed over so far on the calling thread, while the writer's own thread does not run.
     *
     * @return false if the store did not take it within the given time; it is kept
     */
    public boolean flush(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            int left = writeNext();
            if (left == NOTHING) {
                return true;
            }
            if (left == FAILED
                    && (System.nanoTime() - deadline >= 0
                            || Thread.currentThread().isInterrupted())) {
                return false;
            }
            if (left == FAILED) {
                awaitStore(Math.min(backoffNanos(), Math.max(0, deadline - System.nanoTime())));
            }
        }
    }

    /** Writes what is left, for at most the given time, and stops. */
    public void close(Duration timeout) {
        giveUpAtNanos = System.nanoTime() + timeout.toNanos();
        closing = true;
        work.give();
        storeAnswers.give();
        try {
            thread.join(timeout.plusMillis(MAX_BACKOFF_MS).toMillis() + 1);
            thread.interrupt();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
        stopped = true;
        if (thread.isAlive() || !writeLast()) {
            LOG.log(Level.WARNING, "The store does not answer; what it was not told is delivered again later");
        }
        durable.close();
    }

    /** Writes what came too late for the thread; returns false if somebody waits for the store and does not come back. */
    private boolean writeLast() {
        try {
            if (!writing.tryLock() && !writing.tryLock(nanosToGiveUp(), TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            abandon(flush(Duration.ofNanos(nanosToGiveUp())));
            return true;
        } finally {
            writing.unlock();
        }
    }

    private long nanosToGiveUp() {
        return Math.max(0, giveUpAtNanos - System.nanoTime());
    }

    private void run() {
        while (!closing) {
            try {
                awaitWork();
                writeAll();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "The completion of events failed outside of the store; it carries on", e);
                work.give();
            }
        }
    }

    private void awaitWork() {
        try {
            work.await(Math.max(0, Math.min(outcomes.refused().nanosToNext(), releases.nanosToNext())));
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "Interrupted while waiting for outcomes", e);
        }
    }

    private void writeAll() {
        int written;
        do {
            pauseAfterTheLast();
            written = writeNext();
            writtenAtNanos = System.nanoTime();
            if (written == FAILED) {
                if (closingTimedOut() || Thread.currentThread().isInterrupted()) {
                    return;
                }
                awaitStore(backoffNanos());
            }
        } while (written != NOTHING);
    }

    private void pauseAfterTheLast() {
        long left = PAUSE_NANOS - (System.nanoTime() - writtenAtNanos);
        if (left > 0 && completions.size() < ENOUGH && !closing) {
            LockSupport.parkNanos(left);
        }
    }

    private static final int NOTHING = 0;
    private static final int FAILED = -1;

    /** Writes one batch; returns how many outcomes and releases were in it, or {@link #FAILED} if some are left. */
    private int writeNext() {
        writing.lock();
        try {
            return writeBatch();
        } finally {
            writing.unlock();
        }
    }

    private int writeBatch() {
        takeInHand();
        int size = inHand.size() + releases.inHand();
        outcomes.retryRefused(closing);
        if (size == NOTHING) {
            return NOTHING;
        }
        // neither waits for the other: the store may take releases and not outcomes
        Throwable unwritten = failureOf(() -> outcomes.write(inHand));
        Throwable unreleased = failureOf(this::release);
        if (unwritten != null || unreleased != null) {
            noteFailure(unwritten != null ? unwritten : unreleased);
            return FAILED;
        }
        noteSuccess();
        return inHand.isEmpty() ? size : FAILED;
    }

    private static Throwable failureOf(Runnable write) {
        try {
            write.run();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    private void takeInHand() {
        completions.drainTo(taken, Math.max(0, MAX_BATCH - inHand.size() - taken.size()));
        Instant at = OutcomeWriter.timeOf(taken);
        for (Completion next; (next = taken.peek()) != null; taken.remove()) {
            next.hold().settle();
            if (stopped) {
                next.hold().contest(); // whoever follows may have begun
            }
            inHand.put(next.hold(), OutcomeWriter.atTime(at, next));
        }
        releases.takeInHand();
    }

    private void release() {
        List<Hold> released = releases.release();
        if (!released.isEmpty()) {
            released.forEach(this::close);
            alarm.dueNow(EventTypes.ALL);
        }
    }

    /** Called before a page is claimed: no hold ends until it has been handed over, if what is claimed cannot be given back. */
    public void claimBegins() {
        if (!releasesLocks()) {
            turns.begin();
        }
    }

    /** Called when the page has been handed over. */
    public void claimEnds() {
        turns.end();
    }

    /** The hold ends before anything that takes its time: what is due again may be claimed from now on. */
    private void written(Completion completion, EventStatus status) {
        quietly(() -> durable.count(completion, status));
        close(completion.hold());
        quietly(() -> durable.log(completion, status));
        quietly(() -> durable.tell(completion, status));
        if (status != null) {
            quietly(() -> durable.announce(completion));
        }
    }

    private static Moves quiet(Moves moves) {
        return new Moves() {
            @Override
            public void made(List<OutboxEvent> events, Duration writeTook) {
                if (moves != null) {
                    quietly(() -> moves.made(events, writeTook));
                }
            }

            @Override
            public void failed(int events) {
                if (moves != null && events > 0) {
                    quietly(() -> moves.failed(events));
                }
            }
        };
    }

    /** Nothing that fails on the way of one outcome may cost another its end. */
    private static void quietly(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "An outcome is durable, but telling of it failed", e);
        }
    }

    private void noteFailure(Throwable e) {
        failures++;
        outage.failed(
                "Cannot write " + inHand.size() + " outcomes and " + releases.inHand()
                        + " releases; they are kept, and tried again until the store takes them",
                e);
    }

    private void noteSuccess() {
        failures = 0;
        outage.over();
    }

    private long backoffNanos() {
        long backoffMs = FIRST_BACKOFF_MS << Math.min(Math.max(0, failures - 1), 3);
        return TimeUnit.MILLISECONDS.toNanos(Math.min(backoffMs, MAX_BACKOFF_MS));
    }

    private void awaitStore(long nanos) {
        try {
            storeAnswers.forget();
            storeAnswers.await(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Lets go of what could not be written before the end, and says so. If the store takes what it is given, that is only
     * what it refused: what others hand over at this moment they write themselves.
     */
    private void abandon(boolean storeTakes) {
        List<Completion> lost = new ArrayList<>();
        List<Hold> unreleased = new ArrayList<>();
        writing.lock();
        try {
            lost.addAll(outcomes.refused().clear());
            unreleased.addAll(releases.clearLocked());
            if (!storeTakes) {
                lost.addAll(inHand.values());
                inHand.clear();
                lost.addAll(taken);
                taken.clear();
                completions.drainTo(lost);
                unreleased.addAll(releases.clear());
            }
        } finally {
            writing.unlock();
        }
        if (!lost.isEmpty() || !unreleased.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "Closed before the store took {0} outcomes and {1} releases; those events are delivered again later",
                    lost.size(),
                    unreleased.size());
        }
        lost.forEach(completion -> owned.close(completion.hold()));
        unreleased.forEach(owned::close);
    }

    private boolean closingTimedOut() {
        return closing && System.nanoTime() - giveUpAtNanos >= 0;
    }
}
