package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * SQL of one database, on connections that the caller manages and closes.
 *
 * <p>The five abstract methods suffice for every mode but multi-node, which needs {@link #claimPending} as well. A
 * store that also keeps ownership in its rows implements {@link OwnershipStore}. Transitions never touch a DONE or DEAD
 * row and return the number of rows changed. Failures are unchecked exceptions.
 */
public interface OutboxStore {

    /** Inserts the event with status NEW, unowned. */
    void insertNew(Connection conn, EventEnvelope event);

    /** Inserts the events in order, as one batch where the database allows. */
    default void insertBatch(Connection conn, List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            insertNew(conn, event);
        }
    }

    /**
     * Returns what is to be done about the connection of a business transaction in which a write has failed. It runs
     * after the transaction, when the connection may be back in its pool. Default: nothing.
     */
    default Optional<Runnable> afterFailedWrite(Connection conn, RuntimeException failure) {
        return Optional.empty();
    }

    int markDone(Connection conn, String eventId);

    /** Counts a failed attempt and schedules the next one. */
    int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error);

    int markDead(Connection conn, String eventId, @Nullable String error);

    /** Reschedules the event without counting an attempt, where the store can; the default counts one. */
    default int markDeferred(Connection conn, String eventId, Instant nextAt) {
        return markRetry(conn, eventId, nextAt, null);
    }

    /** Returns up to {@code limit} due events, oldest first, created at least {@code skipRecent} before {@code now}. */
    List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit);

    /**
     * Returns due events that no one holds, or whose lock was taken before {@code lockExpiry}, and locks them for
     * {@code ownerId}. The default locks nothing and polls.
     */
    default List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return pollPending(conn, now, skipRecent, limit);
    }

    /** Returns DEAD events, oldest first, of one type or of all. */
    default List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        throw new UnsupportedOperationException(getClass().getName() + " does not support dead event queries");
    }

    /** Resets a DEAD event to NEW with all its attempts, due immediately; returns the number of rows changed. */
    default int replayDead(Connection conn, String eventId) {
        throw new UnsupportedOperationException(getClass().getName() + " does not support dead event replay");
    }

    /** Counts the DEAD events of a type, or all if none is given. */
    default int countDead(Connection conn, @Nullable String eventType) {
        throw new UnsupportedOperationException(getClass().getName() + " does not support dead event counts");
    }
}
