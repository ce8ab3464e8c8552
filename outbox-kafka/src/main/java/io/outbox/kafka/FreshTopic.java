package io.outbox.kafka;

import io.outbox.BatchOutcome;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A topic of which not all partitions have taken a record. One batch at a time sends to it, event by event; what it
 * waited for in vain, those that wait for their turn meanwhile do not wait for again. Thread-safe.
 */
final class FreshTopic {

    /**
     * The partitions of a topic are created together: so long after the first answer, all of them have their leaders.
     */
    static final Duration READY_AFTER = Duration.ofSeconds(1);

    /** Fair, so that the events of a batch do not keep those of another one waiting. */
    private final ReentrantLock turn = new ReentrantLock(true);

    private final Set<Integer> partitions = ConcurrentHashMap.newKeySet();
    private volatile long firstAnswerAt;
    /** What the batch that has the turn waits for, if a batch has it. */
    private volatile @Nullable Acknowledgements held;

    private volatile int failures;
    private @Nullable BatchOutcome lastFailure;
    private int users;

    /** Counts one more who has events for the topic; only in the map's own lock, as {@link #left}. */
    FreshTopic entered() {
        users++;
        return this;
    }

    /** Counts one less; returns whether there are others. */
    boolean left() {
        return --users > 0;
    }

    /** Returns how often something was awaited in vain so far. */
    int failures() {
        return failures;
    }

    /** Waits for the turn; returns false if the time is over. */
    boolean take(Acknowledgements acknowledgements) throws InterruptedException {
        if (!turn.tryLock(acknowledgements.nanosLeft(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        held = acknowledgements;
        return true;
    }

    void giveBack() {
        held = null;
        turn.unlock();
    }

    /** Returns whether the broker owes an answer to the batch that has the turn. */
    boolean isOwedAnAnswer() {
        Acknowledgements current = held;
        return current != null && current.isWaitedFor();
    }

    /** Notes what became of an event that waited in vain; by the one that has the turn. */
    void failed(BatchOutcome outcome) {
        lastFailure = outcome;
        failures++;
    }

    /** Returns what became of an event that waited in vain since, if one did; for the one that has the turn. */
    @Nullable
    BatchOutcome failureSince(int seen) {
        return failures == seen ? null : lastFailure;
    }

    void taken(int partition) {
        if (partitions.isEmpty()) {
            firstAnswerAt = System.nanoTime();
        }
        partitions.add(partition);
    }

    boolean hasAnswered() {
        return !partitions.isEmpty();
    }

    /** Returns whether so many partitions have taken a record. */
    boolean hasAnswered(int count) {
        return hasAnswered() && partitions.size() >= count;
    }

    /** Returns whether the first answer was so long ago that all partitions are ready. */
    boolean isOld() {
        return hasAnswered() && System.nanoTime() - firstAnswerAt > READY_AFTER.toNanos();
    }
}
