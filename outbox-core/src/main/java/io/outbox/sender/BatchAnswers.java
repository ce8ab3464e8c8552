package io.outbox.sender;

import io.outbox.BatchOutcome;
import io.outbox.EventException;
import io.outbox.RouteUnavailableException;
import io.outbox.upkeep.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a broker has answered so far for each event of a batch, and the time until which answers count. Of several
 * outcomes of an event the first counts. Thread-safe.
 */
public class BatchAnswers {

    private final BatchOutcome[] outcomes;
    private final Duration timeout;
    private final String answer;
    private final long deadline;
    private int settled;
    private volatile Runnable listener = () -> {};

    /**
     * @param timeout how long answers count, from now on
     * @param answer what the broker does with an event that it has taken: {@code acknowledged} or the like
     */
    protected BatchAnswers(int events, Duration timeout, String answer) {
        this.outcomes = new BatchOutcome[events];
        this.timeout = timeout;
        this.answer = answer;
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    /** Sets the action that runs at each answer, on the thread that brings it. */
    public final void whenAnswered(Runnable action) {
        listener = action;
    }

    /** Reports an answer of the broker. */
    protected final void answered() {
        listener.run();
    }

    /** Returns for how long answers still count; 0 if they do not. */
    public final long nanosLeft() {
        return Math.max(0, deadline - System.nanoTime());
    }

    /** Returns whether answers do not count any more. */
    public final boolean isOverdue() {
        return nanosLeft() == 0;
    }

    /** Returns the outcome of an event, or {@code null} if it has none yet. */
    public final synchronized @Nullable BatchOutcome outcome(int index) {
        return outcomes[index];
    }

    /** Returns whether every event has an outcome. */
    public final synchronized boolean isComplete() {
        return settled == outcomes.length;
    }

    /** Settles an event, unless it has an outcome; returns whether this is its outcome now. */
    public synchronized boolean settle(int index, BatchOutcome outcome) {
        if (outcomes[index] != null) {
            return false;
        }
        outcomes[index] = outcome;
        settled++;
        return true;
    }

    /** Returns an outcome for each event. No answer in time is an outage, whatever became of the others. */
    public final List<BatchOutcome> outcomes() {
        return outcomes(new RouteUnavailableException(
                "not " + answer + " within the emergency timeout of " + DurationText.of(timeout)));
    }

    /** Returns an outcome for each event, {@code failure} for those that have none. */
    public synchronized List<BatchOutcome> outcomes(EventException failure) {
        for (int i = 0; i < outcomes.length; i++) {
            settle(i, BatchOutcome.failed(failure));
        }
        return Arrays.asList(outcomes.clone());
    }
}
