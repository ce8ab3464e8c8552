package io.outbox.spi;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The end of one delivery attempt, to be made durable. */
public sealed interface Outcome {

    /** The longest error text that is stored. */
    int MAX_ERROR_LENGTH = 4000;

    String eventId();

    /** Returns whether the event is dead by this, as far as is known before the store decides. */
    default boolean isLast() {
        return false;
    }

    /**
     * Delivered at the given time.
     *
     * @param keep whether the event stays in the store until it is purged. If not, it is deleted, under the same
     * guards; and
     *     an event that is not there any more counts as done, since only its end removes it
     */
    record Done(String eventId, Instant at, boolean keep) implements Outcome {
        public Done {
            Objects.requireNonNull(eventId, "eventId");
            Objects.requireNonNull(at, "at");
        }

        /** Delivered at the given time, and kept. */
        public Done(String eventId, Instant at) {
            this(eventId, at, true);
        }
    }

    /**
     * Failed: one more attempt is counted, and the store decides at write time, by its own count, whether the event is
     * retried at {@code retryAt} or dead because {@code maxAttempts} are used up.
     *
     * @param attempts the failed attempts known when delivery began, for stores that cannot decide themselves
     */
    record Failed(
            String eventId,
            Instant retryAt,
            int attempts,
            int maxAttempts,
            @Nullable String error) implements Outcome {
        public Failed {
            Objects.requireNonNull(eventId, "eventId");
            Objects.requireNonNull(retryAt, "retryAt");
            error = storable(error);
        }

        @Override
        public boolean isLast() {
            return attempts + 1 >= maxAttempts;
        }
    }

    /** To be delivered again at {@code until}; no attempt is counted. */
    record Deferred(String eventId, Instant until) implements Outcome {
        public Deferred {
            Objects.requireNonNull(eventId, "eventId");
            Objects.requireNonNull(until, "until");
        }
    }

    /** Not to be retried. */
    record Dead(String eventId, @Nullable String error) implements Outcome {
        public Dead {
            Objects.requireNonNull(eventId, "eventId");
            error = storable(error);
        }

        @Override
        public boolean isLast() {
            return true;
        }
    }

    /** Cuts an error text to what every database stores. */
    static @Nullable String storable(@Nullable String error) {
        if (error == null) {
            return null;
        }
        byte[] encodable = error.replace("\0", "").getBytes(StandardCharsets.UTF_8);
        String text = new String(encodable, StandardCharsets.UTF_8);
        if (text.length() <= MAX_ERROR_LENGTH) {
            return text;
        }
        boolean splitsPair = Character.isHighSurrogate(text.charAt(MAX_ERROR_LENGTH - 1));
        return text.substring(0, splitsPair ? MAX_ERROR_LENGTH - 1 : MAX_ERROR_LENGTH);
    }
}
