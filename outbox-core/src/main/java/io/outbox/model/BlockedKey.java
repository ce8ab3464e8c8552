package io.outbox.model;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key whose delivery is blocked, because one of its events has failed permanently and keeps its place. Immutable.
 *
 * @param key the key, as the store has it: {@code <aggregate type>/<key>#<subscription>}
 * @param event the event that blocks it
 * @param since when that event failed for good, or {@code null} if this is not known
 * @param waiting how many events of the key wait behind it; counts stop at {@value #MOST_WAITING}
 */
public record BlockedKey(String key, Event event, @Nullable Instant since, int waiting) {

    /** The number at which {@link #waiting()} stops. */
    public static final int MOST_WAITING = 1_000;

    public BlockedKey {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(event, "event");
    }

    /**
     * The event that blocks a key, without its content.
     *
     * @param attempts how often it has failed
     * @param lastError the text of the last failure
     */
    public record Event(
            String eventId,
            String eventType,
            int attempts,
            Instant createdAt,
            @Nullable String lastError) {
        public Event {
            Objects.requireNonNull(eventId, "eventId");
            Objects.requireNonNull(eventType, "eventType");
            Objects.requireNonNull(createdAt, "createdAt");
        }
    }

    /** In which order blocked keys are listed. */
    public enum Order {
        /** Those first that have been blocked for the longest time. */
        OLDEST_FIRST,
        /** Those first that were blocked last. */
        NEWEST_FIRST
    }

    /**
     * Blocked keys as numbers.
     *
     * @param keys how many keys are blocked
     * @param waiting how many events wait behind the events that block them
     * @param oldestSince since when the first of the keys is blocked; {@code null} if none is, or if this is not known
     * @param exact whether all were counted; if not, there are at least as many
     */
    public record Figures(int keys, int waiting, @Nullable Instant oldestSince, boolean exact) {

        /** No key is blocked. */
        public static final Figures NONE = new Figures(0, 0, null, true);
    }
}
