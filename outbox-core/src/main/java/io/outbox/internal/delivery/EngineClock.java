package io.outbox.internal.delivery;

import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

/**
 * The time by which this node says when an event is due again: its own clock's, set right by the store's among several
 * nodes, so that a node whose clock is ahead does not make its retries wait. With the precision of the store.
 *
 * <p>The poller reports the difference with each time that it reads. An event that fails before its first read asks the
 * store itself, once: if the store does not answer, its outcome has to wait anyway. Thread-safe.
 */
final class EngineClock {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final Clock clock;
    private final Supplier<Instant> store;
    private volatile boolean isSet;
    private volatile Duration storeAhead = Duration.ZERO;

    private EngineClock(Clock clock, Supplier<Instant> store) {
        this.clock = clock;
        this.store = store;
        this.isSet = store == null;
    }

    /** Returns the time of a single node. */
    static EngineClock of(Clock clock) {
        return new EngineClock(clock, null);
    }

    /** Returns the time of one of several nodes, which share the time of a store. */
    static EngineClock setBy(Supplier<Instant> store, Clock clock) {
        return new EngineClock(clock, store);
    }

    void storeIsAhead(Duration difference) {
        storeAhead = difference;
        isSet = true;
    }

    Instant now() {
        if (!isSet) {
            ask();
        }
        return clock.instant().plus(storeAhead).truncatedTo(ChronoUnit.MICROS);
    }

    private synchronized void ask() {
        if (isSet) {
            return;
        }
        try {
            Instant inStore = store.get();
            storeIsAhead(Duration.between(clock.instant(), inStore));
        } catch (RuntimeException | Error e) {
            LOG.log(Level.DEBUG, "The time of the store is not known yet", e);
            isSet = true;
        }
    }
}
