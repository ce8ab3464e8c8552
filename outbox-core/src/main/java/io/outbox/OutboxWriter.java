package io.outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes events in the caller's transaction: they are delivered if it commits, and vanish if it rolls back.
 *
 * <p>Thread-safe. Every method throws {@link IllegalStateException} when the engine needs an active transaction and
 * the calling thread has none.
 */
public interface OutboxWriter {

    /** Writes one event and returns its id, or {@code null} if a {@link WriterHook} suppressed it. */
    @Nullable
    String write(EventEnvelope event);

    /** Writes one event of the given type and returns its id, or {@code null} if a hook suppressed it. */
    default @Nullable String write(String eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /** Writes one event of the given type and returns its id, or {@code null} if a hook suppressed it. */
    default @Nullable String write(EventType eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /**
     * Writes the events as one batch and returns the ids of those written, empty if a hook suppressed them. The events
     * share round trips to the store, which single writes do not: each of those has its row in the store when it
     * returns.
     */
    List<String> writeAll(List<EventEnvelope> events);
}
