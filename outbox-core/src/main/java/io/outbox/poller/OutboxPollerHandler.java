package io.outbox.poller;

import io.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;

/** Takes over the events that the poller finds. */
@FunctionalInterface
public interface OutboxPollerHandler {

    /**
     * Takes one event; returning false refuses it and ends the poll cycle. A poller makes one call at a time, so a
     * handler must not wait for another thread that polls.
     */
    boolean handle(EventEnvelope event, int attempts);

    /** Returns how many events can be taken now; the poller does not read more. */
    default int availableCapacity() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns what this handler is for the poller beyond what this interface says, or {@code null}. A handler that
     * wraps another may pass the question on, so that poller and dispatcher continue to work together, past the
     * wrapper.
     */
    default <T> @Nullable T unwrap(Class<T> type) {
        return type.isInstance(this) ? type.cast(this) : null;
    }
}
