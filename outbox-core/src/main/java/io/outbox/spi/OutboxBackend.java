package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * A storage engine: the seam between delivery, which knows no database, and storage, which knows no queue, thread or
 * retry policy. Thread-safe.
 *
 * <h2>Rules for every engine</h2>
 *
 * <ul>
 *   <li>Reads are bounded and oldest first.
 *   <li>Transitions are idempotent and guarded by status: a DONE or DEAD event is never touched by a late outcome, and
 *       each call reports what it changed.
 *   <li>The retry budget is evaluated in the store, at write time.
 *   <li>With an owner, an outcome counts only while that owner holds the event (fencing). Leases run on the store's
 *       clock.
 *   <li>Failures are unchecked exceptions; an exception means that nothing is known about the call's effect, and that
 *       repeating it is safe.
 * </ul>
 */
public interface OutboxBackend {

    /** Returns whether {@link #persist} shares the caller's transaction and must be called inside one. */
    boolean requiresActiveTransaction();

    /** Returns whether events can be claimed by one node among several. Without it, multi-node mode is refused. */
    boolean supportsClaiming();

    /** Returns whether the calling thread is in a transaction that {@link #persist} would join. */
    boolean isTransactionActive();

    /** Says why {@link #isTransactionActive()} is false, for the exception that the writer throws. */
    default String noTransactionReason() {
        return "No active transaction: an event must be written in the transaction that changes the business data."
                + " Begin one on this thread before calling write()";
    }

    /**
     * Stores the events, in order, with status NEW.
     *
     * @param ownerId the node that holds the events from the moment they become visible, or {@code null} for none;
     *     delayed events are never held
     */
    void persist(List<EventEnvelope> events, String ownerId);

    /**
     * Runs one of the callbacks on this thread when the caller's transaction has ended; at once if the engine needs
     * none. An unknown outcome counts as rolled back.
     */
    void afterCompletion(Runnable committed, Runnable rolledBack);

    /** Returns due events without locking them, for a single node. */
    List<OutboxEvent> fetch(FetchRequest request);

    /** Locks due events that no one holds, or whose lease has run out, and returns them. */
    List<OutboxEvent> claim(ClaimRequest request);

    /**
     * Makes the outcomes durable.
     *
     * @param ownerId the node that must still hold the events, or {@code null} if they were not locked
     * @return the resulting status of every event whose outcome stands; events of refused outcomes are missing
     */
    Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes);

    /** Restarts the leases that {@code ownerId} still holds and returns the ids of those events. */
    Set<String> renew(String ownerId, Collection<String> eventIds);

    /** Gives up the pending events that {@code ownerId} holds; returns how many there were. */
    int release(String ownerId, Collection<String> eventIds);

    /** Returns the time on the clock by which claims tell what is due and whose lease has run out. */
    default Instant currentTime() {
        return Instant.now();
    }

    /** Returns when the next pending event becomes due that is not due at {@code now}, if the engine can tell. */
    Optional<Instant> nextDueAt(Instant now);

    /** Returns what is due and not delivered, one entry per event type; empty if the engine cannot tell. */
    default List<PendingEvents> pending(Instant now) {
        return List.of();
    }

    /** Counts the events that are not finished, by type; those that are locked are in process. */
    default List<EventCount> counts() {
        return List.of();
    }

    /** Deletes up to {@code limit} finished events that ended before {@code before}; returns how many. */
    int purge(Instant before, int limit);

    /** As {@link #purge}, but leaves DEAD events. */
    default int purgeDone(Instant before, int limit) {
        throw new UnsupportedOperationException(getClass().getName() + " cannot purge without dead events");
    }

    /** Returns up to {@code limit} DEAD events, oldest first; {@code null} filters match all. */
    List<OutboxEvent> queryDead(String eventType, String aggregateType, int limit);

    /** Resets a DEAD event to NEW; returns the number of events changed. */
    int replayDead(String eventId);

    /** Counts DEAD events; a {@code null} type counts all. */
    int countDead(String eventType);

    /**
     * What {@link #fetch} is asked for.
     *
     * @param now events due at this instant qualify
     * @param skipRecent the least age of an event
     * @param types the event types that qualify
     * @param limit the largest number of events to return
     * @param after the last event of the previous page in the order of (available at, created at, event id), or
     *     {@code null} for the first page
     * @param held how many pending events the caller holds already; an engine without pages returns that many more, so
     *     that the caller finds others among them
     */
    record FetchRequest(Instant now, Duration skipRecent, EventTypes types, int limit, OutboxEvent after, int held) {

        /** Asks for events of all types. */
        public FetchRequest(Instant now, Duration skipRecent, int limit, OutboxEvent after, int held) {
            this(now, skipRecent, EventTypes.ALL, limit, after, held);
        }
    }

    /**
     * What {@link #claim} is asked for. Whether an event is due and whether a lease has run out is decided by the
     * store's clock.
     *
     * @param after an event up to which, in the order of (available at, created at, event id), everything is passed
     *     over, as claimed already; {@code null} for none
     * @param takeOver whether events whose lease has run out are claimed as well
     * @param takenOver told how many of the claimed events had such a lease
     */
    record ClaimRequest(
            Lease lease,
            Duration skipRecent,
            EventTypes types,
            int limit,
            OutboxEvent after,
            boolean takeOver,
            IntConsumer takenOver) {

        /** Asks for events of all types, also those whose lease has run out. */
        public ClaimRequest(Lease lease, Duration skipRecent, int limit) {
            this(lease, skipRecent, EventTypes.ALL, limit);
        }

        /** Asks for events of some types, also those whose lease has run out. */
        public ClaimRequest(Lease lease, Duration skipRecent, EventTypes types, int limit) {
            this(lease, skipRecent, types, limit, null, true, count -> {});
        }

        /** Returns the time of locking before which a lock no longer counts, given the store's time. */
        public Instant lockExpiry(Instant now) {
            return takeOver ? now.minus(lease.duration()) : Instant.EPOCH;
        }
    }
}
