package io.outbox.spi;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The oldest unfinished event of a key, without its content: what all others of the key wait for.
 *
 * @param attempts how often it has failed
 * @param lockedBy who holds it, if anybody does
 * @param lockedAt since when
 */
public record KeyHead(
        String key,
        String eventId,
        String eventType,
        int attempts,
        Instant availableAt,
        @Nullable String lockedBy,
        @Nullable Instant lockedAt) {

    /**
     * The earliest due time of an event that has failed for good and keeps its place: later than anything else is due.
     * How much later the event is due tells when it failed, so that no column is needed for it: see {@link #parkedAt}.
     */
    public static final Instant PARKED_UNTIL = Instant.parse("2200-01-01T00:00:00Z");

    /** No event was parked before this time. */
    private static final Instant FIRST_PARKED = Instant.parse("2020-01-01T00:00:00Z");

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

    /** Returns the due time of an event that fails for good at this time. Due times have the order of these times. */
    public static Instant parkedAt(Instant time) {
        Duration later = Duration.between(FIRST_PARKED, time.truncatedTo(ChronoUnit.MICROS));
        return later.isNegative() ? PARKED_UNTIL : PARKED_UNTIL.plus(later);
    }

    /**
     * Returns when an event with this due time failed for good; {@code null} if it did not, or if this is not known.
     */
    public static @Nullable Instant parkedSince(Instant availableAt) {
        return availableAt.isAfter(PARKED_UNTIL)
                ? FIRST_PARKED.plus(Duration.between(PARKED_UNTIL, availableAt))
                : null;
    }

    /** Returns whether the event is due, and nobody holds it by a lock that began then or later. */
    public boolean isReady(Instant dueUntil, Instant lockExpiry) {
        return !availableAt.isAfter(dueUntil)
                && (lockedBy == null || (lockedAt != null && lockedAt.isBefore(lockExpiry)));
    }
}
