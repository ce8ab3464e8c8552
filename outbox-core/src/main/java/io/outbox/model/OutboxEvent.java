package io.outbox.model;

import java.time.Instant;

/**
 * A stored event as an engine reads it, not yet decoded. Any part may be {@code null} if the row is damaged.
 *
 * @param attempts failed attempts so far
 * @param createdAt when the event occurred
 * @param availableAt when it is next due
 */
public record OutboxEvent(
        String eventId,
        String eventType,
        String aggregateType,
        String aggregateId,
        String tenantId,
        String payloadJson,
        String headersJson,
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
