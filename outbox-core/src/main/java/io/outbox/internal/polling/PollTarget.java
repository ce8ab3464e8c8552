package io.outbox.internal.polling;

import io.outbox.EventEnvelope;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/** Where the poller's finds go. Called by one thread at a time. */
public interface PollTarget {

    /** Returns the shares of events to read, each by itself; the same object as long as a share exists. */
    List<PollFeed> feeds();

    /** Returns the shares that may have events of these types. */
    default List<PollFeed> feeds(EventTypes types) {
        return feeds();
    }

    /** Returns what tells whether the store can be relied on; the poller's own calls are reported to it. */
    StoreWatch watch();

    /** Takes the line by which the target tells of events that become due. */
    void connect(Alarm alarm);

    /** Called once if events are claimed: those handed over are locked in the store under this lease. */
    void claimingUnder(Lease lease);

    /** Returns the lease for the next claim. */
    Lease lease();

    /**
     * Returns the events that are in this node's hands under these names in the store; empty if the target cannot tell.
     */
    Optional<Set<String>> heldBy(Set<String> holders);

    /** Returns the time by which the age of locks is told; asked before a claim is sent. */
    default long lockTime() {
        return System.nanoTime();
    }

    /** Called once before anything is read, with the types of which events wait, as far as the store can tell. */
    default void waitingAtStart(Collection<String> eventTypes) {}

    /** Called before rows are read. */
    void scanStarted();

    /** Called after all rows that were read have been handed over. */
    void scanEnded();

    /** Called whenever the store's clock was read, by which due times are told among several nodes. */
    void storeIsAhead(Duration difference);

    /**
     * Offers the events of a page, in their order, until there is no room for one. What was claimed and not taken is
     * given back, whatever happens.
     *
     * @param taken told how many were taken
     * @return whether there was room for all; those that are in this node's hands already need none
     */
    boolean offer(List<FoundEvent> events, Claim claim, IntConsumer taken);

    /**
     * An event that was found.
     *
     * @param row what was read
     * @param envelope the same, decoded
     */
    record FoundEvent(DueEvent row, EventEnvelope envelope) {}

    /** Takes back claimed events that were not offered. */
    void giveBack(List<DueEvent> rows, Claim claim);

    /** Returns what was read of the events. */
    static List<DueEvent> rows(List<FoundEvent> events) {
        return events.stream().map(FoundEvent::row).toList();
    }

    /** Takes an event that cannot be decoded, which goes DEAD for that reason. */
    void bury(DueEvent row, Claim claim, RuntimeException reason);

    /**
     * How events came into this node's hands.
     *
     * @param holder the holder in their rows, or {@code null} if they were read without a lock
     * @param sinceNanos the {@linkplain #lockTime time} before the claim was sent
     */
    record Claim(String holder, long sinceNanos) {}
}
