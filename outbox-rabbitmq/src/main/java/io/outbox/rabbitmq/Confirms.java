package io.outbox.rabbitmq;

import io.outbox.BatchOutcome;
import io.outbox.EventException;
import io.outbox.RouteUnavailableException;
import io.outbox.rabbitmq.Outgoing.Route;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What became of each event of a batch so far, and the time until which the broker's answers count. Thread-safe. */
final class Confirms {

    private final BatchOutcome[] outcomes;
    private final Duration timeout;
    private final long deadline;
    private final Pace pace;
    private final Map<Route, BatchOutcome> refused = new HashMap<>(0);
    private volatile Runnable answered = () -> {};

    Confirms(int events, Duration timeout, Pace pace) {
        this.outcomes = new BatchOutcome[events];
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout.toNanos();
        this.pace = pace;
    }

    /** Says who is told of each answer of the broker, on the connection's thread. */
    void whenAnswered(Runnable action) {
        answered = action;
    }

    long nanosLeft() {
        return deadline - System.nanoTime();
    }

    boolean isOverdue() {
        return nanosLeft() <= 0;
    }

    /** Notes that the broker has put a message into all its queues. */
    void confirmed(Outgoing message) {
        pace.taken(message);
        settle(message, BatchOutcome.done());
        answered.run();
    }

    /** Notes that no queue is bound for a message. */
    void unroutable(Outgoing message, EventException failure) {
        pace.taken(message);
        settle(message, BatchOutcome.failed(failure));
        answered.run();
    }

    /** Notes that a queue did not take a message, which is full or has an error; that says nothing about the message. */
    synchronized void refused(Outgoing message) {
        settle(
                message,
                refused.computeIfAbsent(
                        message.route(),
                        route -> BatchOutcome.failed(new RouteUnavailableException(
                                "RabbitMQ does not accept events at present (nack)", null, pace.refused(route)))));
        answered.run();
    }

    /** Settles an event; the first outcome counts. */
    void settle(Outgoing message, BatchOutcome outcome) {
        settle(message.index(), outcome);
    }

    synchronized void settle(int index, BatchOutcome outcome) {
        if (outcomes[index] == null) {
            outcomes[index] = outcome;
        }
    }

    void fail(List<Outgoing> messages, EventException failure) {
        messages.forEach(message -> settle(message, BatchOutcome.failed(failure)));
    }

    /** Returns those of the messages that have no outcome yet; what goes the way of a refused one has its outcome. */
    synchronized List<Outgoing> open(List<Outgoing> messages) {
        if (!refused.isEmpty()) {
            messages.stream()
                    .filter(message -> refused.containsKey(message.route()))
                    .forEach(message -> settle(message, refused.get(message.route())));
        }
        return messages.stream()
                .filter(message -> outcomes[message.index()] == null)
                .toList();
    }

    /** Returns an outcome for each event; no answer in time is an outage, whatever became of the others. */
    List<BatchOutcome> outcomes() {
        return outcomes(new RouteUnavailableException("not confirmed within the emergency timeout of " + timeout));
    }

    /** Returns an outcome for each event, {@code failure} for those that have none. */
    synchronized List<BatchOutcome> outcomes(EventException failure) {
        for (int i = 0; i < outcomes.length; i++) {
            settle(i, BatchOutcome.failed(failure));
        }
        return Arrays.asList(outcomes.clone());
    }
}
