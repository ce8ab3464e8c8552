package io.outbox.spi;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event type with a due time: of its first pending event in what a look found, or from which on to look at it in a
 * request for one.
 *
 * @param eventType the name of the type
 * @param due the time, or {@code null} if no event of the type is pending
 */
public record DueType(String eventType, @Nullable Instant due) {

    public DueType {
        Objects.requireNonNull(eventType, "eventType");
    }
}
