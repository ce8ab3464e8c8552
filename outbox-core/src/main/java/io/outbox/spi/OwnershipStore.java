package io.outbox.spi;

import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An {@link OutboxStore} that keeps ownership in its rows, reads in pages and applies outcomes in batches: what multi-node
 * delivery needs, and what makes every mode fast. The rules are those of {@link OutboxBackend}, on connections that the
 * caller manages. To add something to an existing store, extend {@link ForwardingOwnershipStore}.
 */
public interface OwnershipStore extends OutboxStore {

    /**
     * Inserts the events, in order, with status NEW; those with an owner are locked by it at database time.
     *
     * @return the ids of the events that are locked
     * @throws io.outbox.DuplicateEventException if an event with the same id is stored already
     */
    Set<String> insert(Connection conn, List<NewEvent> events);

    /**
     * Inserts events of which some are {@link NewEvent#hot()}, and tells whether only a look at the rows can show, before the
     * commit, that the insert was undone. A store that cannot know better uses {@link #insertRevocably}.
     */
    Insertion write(Connection conn, List<NewEvent> events);

    /** Inserts the events with the methods of the store, for which only a look can show that the insert was undone. */
    static Insertion insertRevocably(OwnershipStore store, Connection conn, List<NewEvent> events) {
        if (events.stream().anyMatch(event -> event.ownerId() != null)) {
            return new Insertion(store.insert(conn, events), true);
        }
        if (events.size() == 1) {
            store.insertNew(conn, events.get(0).event());
        } else {
            store.insertBatch(conn, events.stream().map(NewEvent::event).toList());
        }
        return new Insertion(Set.of(), true);
    }

    /**
     * Returns whether the transaction of the connection, about to commit, still holds what was inserted in it and is not
     * revocable; true if the store reports every insert as revocable.
     */
    boolean isIntact(Connection conn);

    /**
     * Returns which of these events the transaction of the connection sees, whatever their status. Asked right before the
     * commit for events whose insert is revocable.
     */
    Set<String> stored(Connection conn, Collection<String> eventIds);

    /** See {@link DeliveryBackend#fetch}. */
    Page<DueEvent> fetch(Connection conn, FetchRequest request);

    /** See {@link DeliveryBackend#claim}. The lock's time is the database's, taken by the statement that locks. */
    ClaimedPage claim(Connection conn, ClaimRequest request);

    /** See {@link DeliveryBackend#apply}. */
    Map<String, EventStatus> applyOutcomes(Connection conn, String holder, List<Outcome> outcomes);

    /** See {@link DeliveryBackend#doneAmong}. */
    Set<String> doneAmong(Connection conn, Collection<String> eventIds);

    /** See {@link DeliveryBackend#renew}. */
    Set<String> renewLocks(Connection conn, String holder, Collection<String> eventIds);

    /** See {@link DeliveryBackend#release}. */
    int releaseLocks(Connection conn, String holder, Collection<String> eventIds);

    /** Returns the database's current time. */
    Instant currentTime(Connection conn);

    /** Returns when the first pending event becomes due that is not due at {@code now}. */
    Optional<Instant> nextDueAt(Connection conn, Instant now);

    /** Returns since when the oldest pending event is due at {@code now}, locked or not. */
    Optional<Instant> oldestDueAt(Connection conn, Instant now);

    /** See {@link DeliveryBackend#placeOf}. */
    PageCursor placeOf(Instant due);

    /** See {@link DeliveryBackend#lookByType}. */
    DueTypes lookByType(Connection conn, List<DueType> known, Instant from);

    /** See {@link HousekeepingBackend#pending}. */
    List<PendingEvents> pending(Connection conn, Instant now);

    /** See {@link HousekeepingBackend#counts}. */
    List<EventCount> counts(Connection conn);

    /** See {@link HousekeepingBackend#queryDead}. */
    Page<OutboxEvent> queryDead(Connection conn, DeadQuery query);

    /** See {@link HousekeepingBackend#replayDead}. */
    int replayDead(Connection conn, Collection<String> eventIds);

    /** See {@link DeliveryBackend#prepareReadsByType}. */
    void prepareReadsByType(Connection conn);

    /** Returns what operators see of this store on connections of the provider; empty if they cannot look into it. */
    Optional<InspectionBackend> inspection(ConnectionProvider connections);

    /** Returns the dead letters of this store on connections of the provider; empty if dead events stay where they are. */
    Optional<DeadLetterBackend> deadLetters(ConnectionProvider connections);
}
