package io.outbox.spi;

import io.outbox.model.OutboxEvent;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event that an engine hands out for delivery.
 *
 * @param lastError the text of the last failure, or {@code null} if there was none or the engine cannot tell
 */
public record DueEvent(OutboxEvent event, @Nullable String lastError) {

    public DueEvent {
        Objects.requireNonNull(event, "event");
    }

    public String eventId() {
        return event.eventId();
    }

    /** Returns about how many bytes the event has: the length of its payload and headers. */
    public long bytes() {
        return length(event.payloadJson()) + length(event.headersJson());
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** Leaves the error out, which may quote what an application keeps to itself. */
    @Override
    public String toString() {
        return "DueEvent[" + event + "]";
    }
}
