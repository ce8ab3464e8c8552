package io.outbox.poller;

import io.outbox.spi.Limits;
import java.time.Duration;
import java.util.Objects;

/**
 * The schedule on which a poller takes over events that other nodes did not complete within the lease. Without it,
 * every poll does so.
 *
 * @param batchSize how many events are taken at a time
 * @param initialDelay how long after the start the first time is
 * @param fixedDelay how long after one time the next is
 */
public record StuckRecovery(int batchSize, Duration initialDelay, Duration fixedDelay) {

    public StuckRecovery {
        Objects.requireNonNull(initialDelay, "initialDelay");
        Objects.requireNonNull(fixedDelay, "fixedDelay");
        Limits.atLeastOne(batchSize, "batchSize");
        Limits.notNegative(initialDelay, "initialDelay");
        Limits.positive(fixedDelay, "fixedDelay");
    }
}
