package io.outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A delivery attempt that failed.
 *
 * @param attempt its number, which begins again at 1 when the event was returned to the outbox
 * @param at when its outcome was written
 * @param node the node that made it, or {@code null} if nodes have no names
 * @param error what went wrong, or {@code null} if the listener did not say
 */
public record FailedAttempt(
        String eventId,
        int attempt,
        Instant at,
        @Nullable String node,
        @Nullable String error) {}
