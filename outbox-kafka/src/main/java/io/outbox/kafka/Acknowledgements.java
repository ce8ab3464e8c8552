package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.EventException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the broker answered so far for each event of a batch, and the time until which answers count. Thread-safe. */
final class Acknowledgements {

    private final BatchOutcome[] outcomes;
    private final long deadline;
    private int open;
    private boolean acknowledged;

    Acknowledgements(int events, Duration timeout) {
        this.outcomes = new BatchOutcome[events];
        this.open = events;
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    boolean isOverdue() {
        return System.nanoTime() - deadline >= 0;
    }

    /** Settles an event; the first outcome counts. */
    synchronized void settle(int index, BatchOutcome outcome) {
        if (outcomes[index] == null) {
            outcomes[index] = outcome;
            acknowledged |= outcome.equals(BatchOutcome.done());
            open--;
            if (open == 0) {
                notifyAll();
            }
        }
    }

    /** Fails all events from this one on that have no outcome yet. */
    synchronized void failFrom(int index, EventException failure) {
        for (int i = index; i < outcomes.length; i++) {
            settle(i, BatchOutcome.failed(failure));
        }
    }

    /** Waits until every event has an outcome or the time is over. */
    synchronized void await() throws InterruptedException {
        while (open > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left + TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** The failure of events without an answer: an outage, unless others of the batch were acknowledged. */
    synchronized EventException silence(Duration timeout) {
        String message = "not acknowledged within the emergency timeout of " + timeout;
        return acknowledged ? new RecoverableException(message) : new RouteUnavailableException(message);
    }

    /** Returns an outcome for each event, {@code failure} for those that have none. */
    synchronized List<BatchOutcome> outcomes(EventException failure) {
        failFrom(0, failure);
        return Arrays.asList(outcomes.clone());
    }
}
