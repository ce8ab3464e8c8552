package io.outbox.rabbitmq;

import io.outbox.BatchOutcome;
import io.outbox.EventException;
import io.outbox.RouteUnavailableException;
import io.outbox.sender.BatchAnswers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The confirms of a batch: what they say about routes and about the pace. */
final class Confirms extends BatchAnswers {

    private final Pace pace;
    private final Map<Object, BatchOutcome> refused = new HashMap<>(0);

    Confirms(int events, Duration timeout, Pace pace) {
        super(events, timeout, "confirmed");
        this.pace = pace;
    }

    /** Notes that the broker has put a message into all its queues. */
    void confirmed(Outgoing message) {
        pace.taken(message);
        settle(message, BatchOutcome.done());
        answered();
    }

    /** Notes that no queue is bound for a message. */
    void unroutable(Outgoing message, EventException failure) {
        pace.taken(message);
        settle(message, BatchOutcome.failed(failure));
        answered();
    }

    /**
     * Notes that a queue did not take a message, which is full or has an error; that says nothing about the message.
     */
    synchronized void refused(Outgoing message) {
        BatchOutcome outcome = refused.computeIfAbsent(
                message.target(),
                target -> BatchOutcome.failed(new RouteUnavailableException(
                        "RabbitMQ does not accept events at present (nack)", null, pace.refused(message.target()))));
        refused.put(pace.group(message.target()), outcome);
        settle(message, outcome);
        answered();
    }

    /** Settles an event; the first outcome counts. */
    void settle(Outgoing message, BatchOutcome outcome) {
        settle(message.index(), outcome);
    }

    /** Fails messages whose channel was closed: for all of them alike, or for the exchange that they have in common. */
    void fail(List<Outgoing> messages, CloseReason closure) {
        if (!messages.isEmpty()) {
            fail(messages, closure.failure(messages.get(0).exchange()));
        }
    }

    void fail(List<Outgoing> messages, EventException failure) {
        messages.forEach(message -> settle(message, BatchOutcome.failed(failure)));
    }

    /** Returns those of the messages that have no outcome yet; what goes the way of a refused one has its outcome. */
    synchronized List<Outgoing> open(List<Outgoing> messages) {
        if (!refused.isEmpty()) {
            for (Outgoing message : messages) {
                BatchOutcome outcome = refused.get(pace.group(message.target()));
                if (outcome != null) {
                    settle(message, outcome);
                }
            }
        }
        return messages.stream()
                .filter(message -> outcome(message.index()) == null)
                .toList();
    }
}
