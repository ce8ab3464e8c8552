package io.outbox.rabbitmq;

import io.outbox.BatchOutcome;
import io.outbox.EventException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** What became of each event of a batch so far, and the time until which the broker's answers count. Thread-safe. */
final class Confirms {

    private final BatchOutcome[] outcomes;
    private final Duration timeout;
    private final long deadline;
    private boolean confirmed;

    Confirms(int events, Duration timeout) {
        this.outcomes = new BatchOutcome[events];
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    long nanosLeft() {
        return deadline - System.nanoTime();
    }

    boolean isOverdue() {
        return nanosLeft() <= 0;
    }

    /** Settles an event; the first outcome counts. */
    synchronized void settle(Outgoing message, BatchOutcome outcome) {
        settle(message.index(), outcome);
    }

    synchronized void settle(int index, BatchOutcome outcome) {
        if (outcomes[index] == null) {
            outcomes[index] = outcome;
            confirmed |= outcome.equals(BatchOutcome.done());
        }
    }

    void fail(List<Outgoing> messages, EventException failure) {
        messages.forEach(message -> settle(message, BatchOutcome.failed(failure)));
    }

    /** Returns those of the messages that have no outcome yet. */
    synchronized List<Outgoing> open(List<Outgoing> messages) {
        return messages.stream()
                .filter(message -> outcomes[message.index()] == null)
                .toList();
    }

    /** The failure of events without an answer: an outage, unless others of the batch were confirmed. */
    synchronized EventException silence() {
        String message = "not confirmed within the emergency timeout of " + timeout;
        return confirmed ? new RecoverableException(message) : new RouteUnavailableException(message);
    }

    /** Returns an outcome for each event, {@code failure} for those that have none. */
    synchronized List<BatchOutcome> outcomes(EventException failure) {
        for (int i = 0; i < outcomes.length; i++) {
            settle(i, BatchOutcome.failed(failure));
        }
        return Arrays.asList(outcomes.clone());
    }
}
