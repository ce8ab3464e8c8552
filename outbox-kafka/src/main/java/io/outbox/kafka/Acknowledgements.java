package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventException;
import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the broker answered so far for each event of a batch, and the time until which answers count. Thread-safe. */
final class Acknowledgements {

    /** When an event comes again that was kept from the broker by others all the time. */
    private static final Duration AGAIN_LATER = Duration.ofSeconds(1);

    private final BatchOutcome[] outcomes;
    private final Duration timeout;
    private final long deadline;
    private List<Integer> innocent = new ArrayList<>(0);
    private int open;
    /** The event whose answer is awaited by itself, or -1. */
    private int awaited = -1;
    /** Whether somebody waits for an answer that has not come. */
    private boolean waiting;

    private volatile Runnable answered = () -> {};

    Acknowledgements(int events, Duration timeout) {
        this.outcomes = new BatchOutcome[events];
        this.open = events;
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    /** Says who is told of each answer, on any thread. */
    void whenAnswered(Runnable action) {
        answered = action;
    }

    /** Returns whether what is sent now might be under way still when its answer does not count any more. */
    boolean isLate() {
        return nanosLeft() < timeout.toNanos() / 3 * 2;
    }

    boolean isOverdue() {
        return nanosLeft() == 0;
    }

    /** Returns how many events have no answer yet. */
    synchronized int open() {
        return open;
    }

    /** Returns whether the sender has handed over what it has, and waits for an answer that has not come. */
    synchronized boolean isWaitedFor() {
        return waiting;
    }

    /** Settles an event; the first outcome counts. */
    synchronized void settle(int index, BatchOutcome outcome) {
        if (outcomes[index] == null) {
            outcomes[index] = outcome;
            close(index);
        }
    }

    /** Notes that an event was refused only for what came with it. */
    synchronized void refusedWithOthers(int index) {
        innocent.add(index);
        close(index);
    }

    private void close(int index) {
        answered.run();
        open--;
        if (open == 0 || index == awaited) {
            awaited = -1;
            waiting = false;
            notifyAll();
        }
    }

    /** Returns the events that were refused only for what came with them; they are open again. */
    synchronized List<Integer> reopenInnocent() {
        List<Integer> again = innocent.stream().sorted().toList();
        innocent = new ArrayList<>(0);
        open += again.size();
        return again;
    }

    /** Fails all events from this one on that have no outcome yet. */
    synchronized void failFrom(int index, EventException failure) {
        for (int i = index; i < outcomes.length; i++) {
            settle(i, BatchOutcome.failed(failure));
        }
    }

    /** Waits until every event has an answer or the time is over. */
    synchronized void await() throws InterruptedException {
        while (open > 0 && waitForAnswer()) {
            // until the last one
        }
    }

    /**
     * Waits until an event has an answer or the time is over.
     *
     * @return its outcome; {@code null} if it has none, or was refused only for what came with it
     */
    synchronized BatchOutcome await(int index) throws InterruptedException {
        awaited = outcomes[index] == null && !innocent.contains(index) ? index : -1;
        while (awaited == index && waitForAnswer()) {
            // until it is this one's
        }
        return outcomes[index];
    }

    /** Waits for an answer; returns false if the time is over. */
    private boolean waitForAnswer() throws InterruptedException {
        long left = nanosLeft();
        if (left > 0) {
            waiting = true;
            TimeUnit.NANOSECONDS.timedWait(this, left + TimeUnit.MILLISECONDS.toNanos(1));
        }
        return left > 0;
    }

    /** Returns for how long answers still count. */
    long nanosLeft() {
        return Math.max(0, deadline - System.nanoTime());
    }

    /** Returns an outcome for each event; no answer in time is an outage, whatever became of the others. */
    List<BatchOutcome> outcomes() {
        return outcomes(new RouteUnavailableException("not acknowledged within the emergency timeout of " + timeout));
    }

    /** Returns an outcome for each event, {@code failure} for those that have none. */
    synchronized List<BatchOutcome> outcomes(EventException failure) {
        innocent.forEach(index -> settle(index, BatchOutcome.of(DispatchResult.retryAfter(AGAIN_LATER))));
        failFrom(0, failure);
        return Arrays.asList(outcomes.clone());
    }
}
