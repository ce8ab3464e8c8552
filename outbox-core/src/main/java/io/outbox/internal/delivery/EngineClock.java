package io.outbox.internal.delivery;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time by which this node says when an event is due again: its own clock's, set right by the store's among several
 * nodes, so that a node whose clock is ahead does not make its retries wait. With the precision of the store.
 */
final class EngineClock {

    private final Clock clock;
    private volatile Duration storeAhead = Duration.ZERO;

    EngineClock(Clock clock) {
        this.clock = clock;
    }

    void storeIsAhead(Duration difference) {
        storeAhead = difference;
    }

    Instant now() {
        return clock.instant().plus(storeAhead).truncatedTo(ChronoUnit.MICROS);
    }
}
