package io.outbox.spi;

import io.outbox.EventEnvelope;
import java.util.Objects;

/**
 * An event to be stored.
 *
 * @param ownerId the node that wants to hold the event from the moment it becomes visible, or {@code null} if nobody
 *     does; never set for a delayed event
 * @param hot whether the writer delivers the event itself once its transaction has committed, without reading it again; so it
 *     has to be certain then that the event was stored. Always so if there is an owner.
 */
public record NewEvent(EventEnvelope event, String ownerId, boolean hot) {

    public NewEvent {
        Objects.requireNonNull(event, "event");
        if (ownerId != null && event.isDelayed()) {
            throw new IllegalArgumentException("a delayed event cannot be held: " + event.eventId());
        }
        hot |= ownerId != null;
    }

    /** Creates an event that its owner, if there is one, delivers itself. */
    public NewEvent(EventEnvelope event, String ownerId) {
        this(event, ownerId, false);
    }

    /** Returns an event that nobody holds. */
    public static NewEvent unowned(EventEnvelope event) {
        return new NewEvent(event, null);
    }
}
