package io.outbox.internal.keyed;

import io.outbox.internal.polling.PollSettings;

/**
 * How a node delivers in the order of keys.
 *
 * @param parks whether an event that fails for good keeps its place
 * @param sweeps when all keys are swept over: as often as a feed is polled
 */
public record KeySettings(boolean parks, PollSettings sweeps) {}
