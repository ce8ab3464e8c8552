package io.outbox.model;

/**
 * A number of events.
 *
 * @param count how many there are, or at least are
 * @param exact whether there are no more than that: counting stops at some point
 */
public record Tally(long count, boolean exact) {}
