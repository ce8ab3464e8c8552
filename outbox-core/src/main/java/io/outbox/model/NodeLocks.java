package io.outbox.model;

import java.time.Instant;

/**
 * The events that one node holds.
 *
 * @param events how many there are
 * @param oldest when the oldest of its locks was taken or renewed
 * @param newest when the newest was
 */
public record NodeLocks(String node, long events, Instant oldest, Instant newest) {}
