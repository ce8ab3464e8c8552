package io.outbox.internal.completion;

import io.outbox.internal.ownership.Hold;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
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
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the store has yet to be told, outcomes and releases, and the batch of it that is being written. Anybody may add
 * an outcome while there is room; batches are written by one thread at a time. What is in hand stays there until the
 * store has taken it.
 */
final class Unwritten {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private static final int CAPACITY = 2048;
    private static final int MAX_BATCH = 512;
    private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MAX_DOUBLINGS = 3;
    static final long LONGEST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final HoldEnds ends;
    private final OutcomeWriter outcomes;
    private final BlockingQueue<Completion> completions = new ArrayBlockingQueue<>(CAPACITY);
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

    Unwritten(HoldEnds ends, OutcomeWriter outcomes) {
        this.ends = ends;
        this.outcomes = outcomes;
    }

    /** What one batch came to. */
    enum Progress {
        /** There was nothing to write. */
        NOTHING,
        WRITTEN,
        /** The store did not take all of it. */
        FAILED
    }

    /** Adds an outcome; returns false if there was no room for that long. */
    boolean offer(Completion completion, long millis) throws InterruptedException {
        return completions.offer(completion, millis, TimeUnit.MILLISECONDS);
    }

    /** Returns how many outcomes wait. */
    int waiting() {
        return completions.size();
    }

    /** Returns the time until something is worth another try that was set aside. Asked by the thread that writes. */
    long nanosToNext() {
        return Math.max(
                0, Math.min(outcomes.refused().nanosToNext(), ends.releases().nanosToNext()));
    }

    /** Returns how long to leave a store alone that has failed. */
    long backoffNanos() {
        long backoff = FIRST_BACKOFF_NANOS << Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS);
        return Math.min(backoff, LONGEST_BACKOFF_NANOS);
    }

    /** Writes one batch. */
    Progress writeNext(Phase phase) {
        writing.lock();
        try {
            return writeBatch(phase);
        } finally {
            writing.unlock();
        }
    }

    private Progress writeBatch(Phase phase) {
        takeInHand(phase);
        boolean empty = inHand.isEmpty() && ends.releases().inHand() == 0;
        outcomes.retryRefused(phase.isEnd());
        if (empty) {
            return Progress.NOTHING;
        }
        // neither waits for the other: the store may take releases and not outcomes
        Throwable unwritten = failureOf(() -> outcomes.write(inHand));
        Throwable unreleased = failureOf(ends::release);
        if (unwritten != null || unreleased != null) {
            noteFailure(unwritten != null ? unwritten : unreleased);
            return Progress.FAILED;
        }
        noteSuccess();
        return inHand.isEmpty() ? Progress.WRITTEN : Progress.FAILED;
    }

    private static Throwable failureOf(Runnable write) {
        try {
            write.run();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    private void takeInHand(Phase phase) {
        completions.drainTo(taken, Math.max(0, MAX_BATCH - inHand.size() - taken.size()));
        Instant at = OutcomeWriter.timeOf(taken);
        for (Completion next; (next = taken.peek()) != null; taken.remove()) {
            next.hold().settle();
            if (phase == Phase.CLOSED) {
                next.hold().contest(); // whoever follows may have begun
            }
            inHand.put(next.hold(), OutcomeWriter.atTime(at, next));
        }
        ends.releases().takeInHand();
    }

    private void noteFailure(Throwable e) {
        failures++;
        outage.failed(
                "Cannot write " + inHand.size() + " outcomes and "
                        + ends.releases().inHand()
                        + " releases; they are kept, and tried again until the store takes them",
                e);
    }

    private void noteSuccess() {
        failures = 0;
        outage.over();
    }

    /** Does something that nobody writes meanwhile; returns false if whoever writes does not come back in that time. */
    boolean doAlone(long nanos, Runnable action) {
        try {
            if (!writing.tryLock() && !writing.tryLock(nanos, TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            action.run();
            return true;
        } finally {
            writing.unlock();
        }
    }

    /**
     * Lets go of what could not be written before the end, and says so. If the store takes what it is given, that is
     * only what it refused: what others hand over at this moment they write themselves.
     */
    void abandon(boolean storeTakes) {
        List<Completion> lost = new ArrayList<>();
        List<Hold> unreleased = new ArrayList<>();
        writing.lock();
        try {
            lost.addAll(outcomes.refused().clear());
            unreleased.addAll(ends.releases().clearLocked());
            if (!storeTakes) {
                lost.addAll(inHand.values());
                inHand.clear();
                lost.addAll(taken);
                taken.clear();
                completions.drainTo(lost);
                unreleased.addAll(ends.releases().clear());
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
        ends.abandon(lost.stream().map(Completion::hold).toList());
        ends.abandon(unreleased);
    }
}
