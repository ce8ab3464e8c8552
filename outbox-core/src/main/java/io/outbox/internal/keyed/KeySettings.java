package io.outbox.internal.keyed;

import java.time.Duration;

/**
 * How a node delivers in the order of keys.
 *
 * @param parks whether an event that fails for good keeps its place
 * @param interval the time between two sweeps over all keys
 */
public record KeySettings(boolean parks, Duration interval) {}
