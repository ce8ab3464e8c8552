package io.outbox.spi;

import io.outbox.model.BlockedKey;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a storage engine that delivers from it. Thread-safe. What an engine does not list among its {@link
 * #capabilities()} is not asked of it; it answers such a call with an {@link UnsupportedOperationException}, which is
 * also what an operation does that an engine has not implemented. A decorator extends {@link ForwardingDelivery}, which
 * leaves out none.
 */
public interface DeliveryBackend {

    /** Returns what this engine can do beyond reading due events and writing outcomes; always the same. */
    Set<Capability> capabilities();

    default boolean supports(Capability capability) {
        return capabilities().contains(capability);
    }

    /**
     * Called once, before delivery starts, if event types are to be read by themselves: makes sure that this does not
     * cost a walk over the events of other types, or says what is missing.
     */
    default void prepareReadsByType() {
        throw cannot("read events by type");
    }

    /** Returns due events, oldest first, without locking them, for a single node. Locks of others do not matter. */
    Page<DueEvent> fetch(FetchRequest request);

    /** Locks due events that no one holds, or whose lease has run out, oldest first, and returns them. */
    default ClaimedPage claim(ClaimRequest request) {
        throw cannot("claim events");
    }

    /**
     * Locks, for a node among several, or reads, for one that is alone, the next events of some keys; see {@link
     * KeyedRequest}. Events that keep their order are returned by no other operation that hands out events.
     */
    default KeyedPage claimKeyed(KeyedRequest request) {
        throw cannot("deliver events in the order of their keys");
    }

    /**
     * Returns the oldest unfinished event of each key behind another one, in the order of keys, up to so many; an empty
     * text is before all keys. That must cost as much as there are keys to return, however many events each has.
     */
    default List<KeyHead> keyHeads(String after, int limit) {
        throw cannot("deliver events in the order of their keys");
    }

    /**
     * Returns keys that an event blocks that has failed for good, up to so many. That must cost as much as there are
     * keys to return, however many others there are.
     *
     * @param after the last key of the page before, or {@code null} for the first page
     */
    default List<BlockedKey> blockedKeys(BlockedKey.Order order, @Nullable BlockedKey after, int limit) {
        throw cannot("deliver events in the order of their keys");
    }

    /** Counts blocked keys and what waits behind them, each up to {@link InspectionBackend#MOST_COUNTED}. */
    default BlockedKey.Figures blockedFigures() {
        throw cannot("deliver events in the order of their keys");
    }

    /**
     * Makes the outcomes durable. Repeating the same outcomes reports the same and changes nothing.
     *
     * @param holder the {@linkplain Lease#holder() holder} whose lock must still be on the events, or {@code null} if
     * they
     *     were not locked
     * @return the resulting status of every event whose outcome stands; events of refused outcomes are missing
     * @throws EventsLockedException if somebody else keeps some of them locked; no outcome was written
     */
    Map<String, EventStatus> apply(@Nullable String holder, List<Outcome> outcomes);

    /**
     * As {@link #apply}, for events that wait and that nobody holds: a lock in the store, however old, keeps an event
     * as it is. For operators of a store that several nodes share.
     *
     * @return the resulting status of every event whose outcome stands; events that are held, ended or not there are
     * missing
     * @throws EventsLockedException if somebody else keeps some of them locked; no outcome was written
     */
    default Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
        throw cannot("change events that no node holds");
    }

    /** Returns those of the events that are DONE; none if the engine cannot tell, as by default. */
    default Set<String> doneAmong(Collection<String> eventIds) {
        return Set.of();
    }

    /**
     * Restarts the leases that the holder still has and returns the ids of those events.
     *
     * @throws EventsLockedException if somebody else keeps some of them locked; of a list of up to 512 none was renewed
     */
    default Set<String> renew(String holder, Collection<String> eventIds) {
        throw cannot("renew locks");
    }

    /**
     * Gives back the pending events that the holder has; returns how many there were.
     *
     * @throws EventsLockedException if somebody else keeps some of them locked; of a list of up to 512 none was given
     * back
     */
    default int release(String holder, Collection<String> eventIds) {
        throw cannot("release locks");
    }

    /** Returns the time on the clock by which claims tell what is due and whose lease has run out. */
    Instant currentTime();

    /**
     * Returns when the next pending event becomes due that is not due at {@code now}; empty if there is none. Events in
     * the hands of a node count. An engine without {@link Capability#READ_BY_TYPE} may answer that there is none.
     */
    Optional<Instant> nextDueAt(Instant now);

    /**
     * Returns since when the oldest event waits that is due at {@code now} and not finished, whether somebody holds it
     * or not; empty if there is none.
     */
    Optional<Instant> oldestDueAt(Instant now);

    /**
     * Returns the place in due order before all events that are due at that time or later, to begin a walk there; or
     * {@code null}, the front, where it costs nothing to pass over what was due before.
     */
    @Nullable
    PageCursor placeOf(Instant due);

    /**
     * Returns which event types have pending events, and since when. That must cost as much as there are types, however
     * many events wait; an engine that cannot do so for all types tells of some, or of none.
     *
     * @param known what the last look told of, in its order: the answer has these types too, looked at from their due
     * time
     *     on; others are looked for from the front
     * @param from a time before which nothing is pending, for an engine that looks at all types together
     */
    DueTypes lookByType(List<DueType> known, Instant from);

    private UnsupportedOperationException cannot(String what) {
        return new UnsupportedOperationException(this + " cannot " + what + ": ask for its capabilities() first");
    }
}
