package io.outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The events of one type that are not finished, as far as they were counted.
 *
 * @param pending those that wait in the store, due or not
 * @param inProcess those in the hands of a node
 * @param due those of all that are due
 * @param dueSince when the oldest of them became due, or {@code null} if none is
 */
public record OpenEvents(
        String eventType,
        long pending,
        long inProcess,
        long due,
        @Nullable Instant dueSince) {}
