package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventException;
import io.outbox.sender.BatchAnswers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The acknowledgements of a batch: who waits for which, and which events were refused only because of others. */
final class Acknowledgements extends BatchAnswers {

    /** When an event comes again that was kept from the broker by others all the time. */
    private static final Duration AGAIN_LATER = Duration.ofSeconds(1);

    private final long lateNanos;
    private List<Integer> innocent = new ArrayList<>(0);
    private int open;
    /** The event whose answer is awaited by itself, or -1. */
    private int awaited = -1;
    /** Whether the broker owes an answer. */
    private boolean waiting;
    /** Runs when no event waits for an answer any more. */
    private Runnable whenComplete = () -> {};

    private boolean givenUp;

    Acknowledgements(int events, Duration timeout) {
        super(events, timeout, "acknowledged");
        this.open = events;
        this.lateNanos = timeout.toNanos() / 3 * 2;
    }

    /** Returns whether what is sent now might be under way still when its answer does not count any more. */
    boolean isLate() {
        return nanosLeft() < lateNanos;
    }

    /** Returns how many events have no answer yet. */
    synchronized int open() {
        return open;
    }

    /** Returns whether the sender has handed over what it has, and waits for an answer that has not come. */
    synchronized boolean isWaitedFor() {
        return waiting;
    }

    /** Notes that all events are with the producer, as far as it took them. */
    synchronized void handedOver() {
        waiting = open > 0;
    }

    /** Runs the action when no event waits for an answer any more, or now if none does. */
    synchronized void whenComplete(Runnable action) {
        if (open == 0 || givenUp) {
            action.run();
        } else {
            whenComplete = action;
        }
    }

    /** Notes that nobody waits for answers any more. */
    synchronized void giveUp() {
        givenUp = true;
        whenComplete.run();
    }

    @Override
    public synchronized boolean settle(int index, BatchOutcome outcome) {
        boolean counts = super.settle(index, outcome);
        if (counts) {
            close(index);
        }
        return counts;
    }

    /** Notes that an event was refused only for what came with it. */
    synchronized void refusedWithOthers(int index) {
        innocent.add(index);
        close(index);
    }

    private void close(int index) {
        answered();
        open--;
        if (open == 0 || index == awaited) {
            awaited = -1;
            waiting = false;
            notifyAll();
        }
        if (open == 0) {
            whenComplete.run();
        }
    }

    /** Returns the events that were refused only for what came with them; they are open again. */
    synchronized List<Integer> reopenInnocent() {
        List<Integer> again = innocent.stream().sorted().toList();
        innocent = new ArrayList<>(0);
        open += again.size();
        return again;
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
     * @return its outcome, unless it has none, or was refused only for what came with it
     */
    synchronized @Nullable BatchOutcome await(int index) throws InterruptedException {
        awaited = outcome(index) == null && !innocent.contains(index) ? index : -1;
        while (awaited == index && waitForAnswer()) {
            // until it is this one's
        }
        return outcome(index);
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

    @Override
    public synchronized List<BatchOutcome> outcomes(EventException failure) {
        innocent.forEach(index -> settle(index, BatchOutcome.of(DispatchResult.retryAfter(AGAIN_LATER))));
        return super.outcomes(failure);
    }
}
