package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An {@link OutboxStore} that keeps ownership in its rows and applies outcomes in batches: what multi-node delivery
 * needs, and what makes every mode fast.
 */
public interface OwnershipStore extends OutboxStore {

    /** Inserts the events with status NEW; those that are not delayed are locked by {@code ownerId} at database time. */
    void insertOwned(Connection conn, List<EventEnvelope> events, String ownerId);

    /**
     * Returns the page of due events of the given types that follows {@code after} in the order of (available at,
     * created at, event id); {@code null} for the first page. Rows of a page stand in order of creation.
     */
    List<OutboxEvent> pollPending(
            Connection conn, Instant now, Duration skipRecent, EventTypes types, OutboxEvent after, int limit);

    /** Locks and returns the events that are asked for, given the database's time. */
    List<OutboxEvent> claimPending(Connection conn, ClaimRequest request, Instant now);

    /**
     * Applies the outcomes, each only if its event is pending and, with an {@code ownerId}, still locked by it. Applying
     * the same outcomes again reports the same.
     *
     * @param ownerId the lock holder, or {@code null} to apply regardless of locks
     * @return the resulting status of every event whose outcome stands; events of refused outcomes are missing
     */
    Map<String, EventStatus> applyOutcomes(Connection conn, String ownerId, List<Outcome> outcomes);

    /** Restarts the lease of those events that {@code ownerId} still holds, and returns their ids. */
    Set<String> renewLocks(Connection conn, String ownerId, Collection<String> eventIds);

    /** Unlocks those pending events that {@code ownerId} holds; returns the number of rows changed. */
    int releaseLocks(Connection conn, String ownerId, Collection<String> eventIds);

    /** Returns when the first pending event becomes due that is not due at {@code now}. */
    Optional<Instant> nextDueAt(Connection conn, Instant now);

    /** Returns the database's current time. */
    Instant currentTime(Connection conn);
}
