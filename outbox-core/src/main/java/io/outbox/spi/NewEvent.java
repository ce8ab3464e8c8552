package io.outbox.spi;

import io.outbox.EventEnvelope;
import java.util.Objects;

/**
 * An event to be stored.
 *
 * @param ownerId the node that wants to hold the event from the moment it becomes visible, or {@code null} if nobody
 *     does; never set for a delayed event
 */
public record NewEvent(EventEnvelope event, String ownerId) {

    public NewEvent {
        Objects.requireNonNull(event, "event");
        if (ownerId != null && event.isDelayed()) {
            throw new IllegalArgumentException("a delayed event cannot be held: " + event.eventId());
        }
    }

    /** Returns an event that nobody holds. */
    public static NewEvent unowned(EventEnvelope event) {
        return new NewEvent(event, null);
    }
}
