package io.outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored event as an engine reads it, not yet decoded. In a damaged row any other part may be missing, too,
 * and then be {@code null}; see {@link io.outbox.EventEnvelope#restore}.
 *
 * @param attempts failed attempts so far
 * @param createdAt when the event occurred
 * @param availableAt when it is next due
 */
public record OutboxEvent(
        String eventId,
        String eventType,
        String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenantId,
        String payloadJson,
        @Nullable String headersJson,
        int attempts,
        Instant createdAt,
        Instant availableAt) {

    /** Leaves payload and headers out. */
    @Override
    public String toString() {
        return "OutboxEvent[eventId=" + eventId + ", eventType=" + eventType + ", aggregateType=" + aggregateType
                + ", aggregateId=" + aggregateId + ", tenantId=" + tenantId + ", attempts=" + attempts
                + ", createdAt=" + createdAt + ", availableAt=" + availableAt + "]";
    }
}
