package io.outbox.spi;

import io.outbox.model.EventCount;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The part of a storage engine for counts, purges and dead events. Thread-safe. */
public interface HousekeepingBackend {

    /** Returns what is due and not delivered, one entry per event type. */
    List<PendingEvents> pending(Instant now);

    /** Counts the events that are not finished, by type; those that are locked are in process. */
    List<EventCount> counts();

    /** Deletes up to {@code limit} finished events that ended before {@code before}; returns how many. */
    int purge(Instant before, int limit);

    /** As {@link #purge}, but leaves DEAD events. */
    int purgeDone(Instant before, int limit);

    /** Returns a page of DEAD events, oldest first. An event that dies while pages are read shows at most once more. */
    Page<OutboxEvent> queryDead(DeadQuery query);

    /** Resets DEAD events to NEW with all their attempts, due immediately; returns how many were changed. */
    int replayDead(Collection<String> eventIds);

    /** Counts the DEAD events of a type, or all if none is given. */
    int countDead(@Nullable String eventType);

    /**
     * Returns where these events stand, without payload and headers, and without those that are not there, which were
     * never written, rolled back, or deleted since they are done. A dead letter is DEAD. An engine that keeps aggregate
     * and tenant with the payload leaves them out, too.
     *
     * @throws UnsupportedOperationException if this engine cannot look up an event by its id
     */
    List<InspectedEvent> lookUp(Collection<String> eventIds);

    /** Returns what operators see; empty if they cannot look into this engine. */
    Optional<InspectionBackend> inspection();

    /**
     * Returns the dead events, as operators see them; empty if they cannot look into this engine. Those that are MOVED
     * are DEAD events to the methods above.
     */
    Optional<DeadEventBackend> deadEvents();
}
