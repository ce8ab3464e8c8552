package io.outbox.spi;

import io.outbox.EventEnvelope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event to be stored.
 *
 * @param ownerId the node that wants to hold the event from the moment it becomes visible, or {@code null} if nobody
 *     does; never set for a delayed event
 * @param hot whether the writer delivers the event itself once its transaction has committed, without reading it again;
 * so it
 *     has to be certain then that the event was stored. Always so if there is an owner.
 * @param orderKey the key by which the event keeps its order, or {@code null} if it keeps none. Such an event is
 * neither held
 *     from the beginning nor hot: it has to be seen which others of the key are before it.
 */
public record NewEvent(
        EventEnvelope event,
        @Nullable String ownerId,
        boolean hot,
        @Nullable String orderKey) {

    public NewEvent {
        Objects.requireNonNull(event, "event");
        if (ownerId != null && event.isDelayed()) {
            throw new IllegalArgumentException("a delayed event cannot be held: " + event.eventId());
        }
        hot |= ownerId != null;
        if (hot && orderKey != null) {
            throw new IllegalArgumentException("an event that keeps its order cannot be held: " + event.eventId());
        }
    }

    /** Creates an event that keeps no order. */
    public NewEvent(EventEnvelope event, @Nullable String ownerId, boolean hot) {
        this(event, ownerId, hot, null);
    }

    /** Creates an event that its owner, if there is one, delivers itself. */
    public NewEvent(EventEnvelope event, @Nullable String ownerId) {
        this(event, ownerId, false);
    }

    /** Returns an event that no node holds. */
    public static NewEvent unowned(EventEnvelope event) {
        return new NewEvent(event, null);
    }

    /** Returns whether the event keeps its order among those of its key. */
    public boolean isKeyed() {
        return orderKey != null;
    }

    /** Returns the same event, in the order of a key, if one is given. */
    public NewEvent withOrderKey(@Nullable String key) {
        return key == null ? this : new NewEvent(event, ownerId, hot, key);
    }
}
