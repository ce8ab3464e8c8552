package io.outbox.model;

import java.time.Instant;

/**
 * A target that this node cannot deliver to, so that its events wait in the store or are left to other nodes.
 *
 * @param eventType the type of its events
 * @param since when that was noticed
 * @param cause why, in one line: what was thrown, or that there is no listener; never part of an event
 */
public record UnavailableTarget(String eventType, Instant since, String cause) {}
