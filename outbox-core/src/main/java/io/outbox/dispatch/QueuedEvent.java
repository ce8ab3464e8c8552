package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.spi.Limits;
import java.util.Objects;

/**
 * An event on its way to a worker.
 *
 * @param attempts failed attempts so far
 */
public record QueuedEvent(EventEnvelope envelope, Source source, int attempts) {

    public QueuedEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(source, "source");
        Limits.notNegative(attempts, "attempts");
    }

    String eventId() {
        return envelope.eventId();
    }

    /** How the event came in. */
    public enum Source {
        /** Straight from the transaction that wrote it. */
        HOT,
        /** Read from the store by the poller. */
        COLD
    }
}
