package io.outbox.model;

import java.time.Instant;

/**
 * The events of one type that are due and not delivered.
 *
 * @param oldestDueAt when the oldest of them became due
 */
public record PendingEvents(String eventType, long count, Instant oldestDueAt) {}
