package io.outbox.internal.keyed;

import java.time.Duration;

/**
 * How a node delivers in the order of keys.
 *
 * @param parks whether an event that fails for good keeps its place
 * @param interval the time between two sweeps over all keys
 * @param mostKeys how many keys a node takes from what others have written, at a time
 * @param mostEvents how many events it holds that keep their order
 */
public record KeySettings(boolean parks, Duration interval, int mostKeys, int mostEvents) {}
