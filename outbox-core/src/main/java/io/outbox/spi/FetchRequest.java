package io.outbox.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for due events that are not locked by reading them.
 *
 * @param now events due at this instant qualify
 * @param skipRecent the least age of an event
 * @param types the event types that qualify
 * @param limit the largest number of events to return
 * @param after where the previous page ended, or {@code null} for the first
 * @param maxBytes about how many bytes of payloads and headers to return: the event that reaches them is the last of
 * its page
 */
public record FetchRequest(
        Instant now,
        Duration skipRecent,
        EventTypes types,
        int limit,
        @Nullable PageCursor after,
        long maxBytes) {

    public FetchRequest {
        Objects.requireNonNull(now, "now");
        Objects.requireNonNull(skipRecent, "skipRecent");
        Objects.requireNonNull(types, "types");
        Limits.atLeastOne(limit, "limit");
        Limits.atLeastOne(maxBytes, "maxBytes");
    }

    /** A request for events of any size. */
    public FetchRequest(Instant now, Duration skipRecent, EventTypes types, int limit, @Nullable PageCursor after) {
        this(now, skipRecent, types, limit, after, Long.MAX_VALUE);
    }

    /** Asks for the first page of events of all types. */
    public static FetchRequest first(Instant now, int limit) {
        return new FetchRequest(now, Duration.ZERO, EventTypes.ALL, limit, null);
    }

    /** Returns the same request for the page that begins there. */
    public FetchRequest after(@Nullable PageCursor cursor) {
        return new FetchRequest(now, skipRecent, types, limit, cursor, maxBytes);
    }

    /** Returns the same request for pages of about so many bytes at most. */
    public FetchRequest upTo(long bytes) {
        return new FetchRequest(now, skipRecent, types, limit, after, bytes);
    }
}
