package io.outbox.spi;

import java.time.Instant;
import java.util.Objects;

/**
 * The oldest unfinished event of a key, without its content: what all others of the key wait for.
 *
 * @param attempts how often it has failed
 * @param lockedBy who holds it, or {@code null}
 * @param lockedAt since when, or {@code null}
 */
public record KeyHead(
        String key,
        String eventId,
        String eventType,
        int attempts,
        Instant availableAt,
        String lockedBy,
        Instant lockedAt) {

    /** The due time of an event that has failed for good and keeps its place: later than anything else is due. */
    public static final Instant PARKED_UNTIL = Instant.parse("2200-01-01T00:00:00Z");

    public KeyHead {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(availableAt, "availableAt");
    }

    /** Returns whether the event has failed for good, so that its key waits for an operator. */
    public boolean isParked() {
        return !availableAt.isBefore(PARKED_UNTIL);
    }

    /** Returns whether the event is due, and nobody holds it by a lock that began then or later. */
    public boolean isReady(Instant dueUntil, Instant lockExpiry) {
        return !availableAt.isAfter(dueUntil)
                && (lockedBy == null || (lockedAt != null && lockedAt.isBefore(lockExpiry)));
    }
}
