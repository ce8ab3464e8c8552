package io.outbox.internal.ownership;

import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.model.FailureText;
import io.outbox.spi.JsonCodec;
import java.time.Instant;

/**
 * A queued event together with this node's hold on it.
 *
 * @param lastError the text of the last failure, or {@code null}
 * @param dueSince the time since when its row says that it is due, or {@code null} if it was not read from there
 */
public record HeldEvent(QueuedEvent queued, String lastError, Instant dueSince, Hold hold) {

    /** What an event takes beside payload and headers. */
    static final long OBJECTS_BYTES = 512;

    /** An event that was not read from the store by the poller. */
    public HeldEvent(QueuedEvent queued, Hold hold) {
        this(queued, null, null, hold);
    }

    public EventEnvelope envelope() {
        return queued.envelope();
    }

    public String eventId() {
        return queued.envelope().eventId();
    }

    public String eventType() {
        return queued.envelope().eventType();
    }

    /** Returns about how many bytes of the heap the event takes. */
    public long bytes() {
        return bytes(envelope());
    }

    public static long bytes(EventEnvelope event) {
        return OBJECTS_BYTES + event.contentLength();
    }

    /** Returns what a listener may know about this delivery. */
    public DeliveryInfo info() {
        String error = lastError == null ? null : FailureText.of(lastError).summary();
        return new DeliveryInfo(queued.attempts() + 1, error, envelope().occurredAt());
    }

    /** Returns the same event with an envelope that is read by the codec. */
    public HeldEvent readBy(JsonCodec codec) {
        QueuedEvent bound = new QueuedEvent(envelope().readBy(codec), queued.source(), queued.attempts());
        return new HeldEvent(bound, lastError, dueSince, hold);
    }

    public boolean isOfSameRoute(HeldEvent other) {
        return eventType().equals(other.eventType())
                && envelope().aggregateType().equals(other.envelope().aggregateType());
    }
}
