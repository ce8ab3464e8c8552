package io.outbox.internal.ownership;

import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;

/**
 * A queued event together with this node's hold on it.
 *
 * @param lastError the text of the last failure, or {@code null}
 */
public record HeldEvent(QueuedEvent queued, String lastError, Hold hold) {

    public EventEnvelope envelope() {
        return queued.envelope();
    }

    public String eventId() {
        return queued.envelope().eventId();
    }

    public String eventType() {
        return queued.envelope().eventType();
    }

    /** Returns what a listener may know about this delivery. */
    public DeliveryInfo info() {
        return new DeliveryInfo(queued.attempts() + 1, lastError, envelope().occurredAt());
    }

    public boolean isOfSameRoute(HeldEvent other) {
        return eventType().equals(other.eventType())
                && envelope().aggregateType().equals(other.envelope().aggregateType());
    }
}
