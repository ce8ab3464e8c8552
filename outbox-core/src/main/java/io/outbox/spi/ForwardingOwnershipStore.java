package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A store that leaves everything to another one: the base of stores that add something, a log or a measurement, to what
 * an existing store does. Override what you change. {@link #write} calls the methods that insert, as they may be overridden.
 */
public abstract class ForwardingOwnershipStore implements OwnershipStore {

    private final OwnershipStore delegate;

    protected ForwardingOwnershipStore(OwnershipStore delegate) {
        this.delegate = Objects.requireNonNull(delegate, "delegate");
    }

    /** Returns the store that does the work. */
    protected final OwnershipStore delegate() {
        return delegate;
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        delegate.insertNew(conn, event);
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        delegate.insertBatch(conn, events);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return delegate.markDone(conn, eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return delegate.markRetry(conn, eventId, nextAt, error);
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return delegate.markDead(conn, eventId, error);
    }

    @Override
    public int markDeferred(Connection conn, String eventId, Instant nextAt) {
        return delegate.markDeferred(conn, eventId, nextAt);
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return delegate.pollPending(conn, now, skipRecent, limit);
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return delegate.claimPending(conn, ownerId, now, lockExpiry, skipRecent, limit);
    }

    @Override
    public List<OutboxEvent> queryDead(Connection conn, String eventType, String aggregateType, int limit) {
        return delegate.queryDead(conn, eventType, aggregateType, limit);
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        return delegate.replayDead(conn, eventId);
    }

    @Override
    public int countDead(Connection conn, String eventType) {
        return delegate.countDead(conn, eventType);
    }

    @Override
    public Set<String> insert(Connection conn, List<NewEvent> events) {
        return delegate.insert(conn, events);
    }

    @Override
    public Insertion write(Connection conn, List<NewEvent> events) {
        return OwnershipStore.insertRevocably(this, conn, events);
    }

    @Override
    public boolean isIntact(Connection conn) {
        return delegate.isIntact(conn);
    }

    @Override
    public Set<String> stored(Connection conn, Collection<String> eventIds) {
        return delegate.stored(conn, eventIds);
    }

    @Override
    public Page<DueEvent> fetch(Connection conn, FetchRequest request) {
        return delegate.fetch(conn, request);
    }

    @Override
    public ClaimedPage claim(Connection conn, ClaimRequest request) {
        return delegate.claim(conn, request);
    }

    @Override
    public Map<String, EventStatus> applyOutcomes(Connection conn, String ownerId, List<Outcome> outcomes) {
        return delegate.applyOutcomes(conn, ownerId, outcomes);
    }

    @Override
    public Set<String> renewLocks(Connection conn, String ownerId, Collection<String> eventIds) {
        return delegate.renewLocks(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> doneAmong(Connection conn, Collection<String> eventIds) {
        return delegate.doneAmong(conn, eventIds);
    }

    @Override
    public int releaseLocks(Connection conn, String ownerId, Collection<String> eventIds) {
        return delegate.releaseLocks(conn, ownerId, eventIds);
    }

    @Override
    public Instant currentTime(Connection conn) {
        return delegate.currentTime(conn);
    }

    @Override
    public Optional<Instant> nextDueAt(Connection conn, Instant now) {
        return delegate.nextDueAt(conn, now);
    }

    @Override
    public Optional<Instant> oldestDueAt(Connection conn, Instant now) {
        return delegate.oldestDueAt(conn, now);
    }

    @Override
    public PageCursor placeOf(Instant due) {
        return delegate.placeOf(due);
    }

    @Override
    public DueTypes lookByType(Connection conn, List<DueType> known, Instant from) {
        return delegate.lookByType(conn, known, from);
    }

    @Override
    public List<PendingEvents> pending(Connection conn, Instant now) {
        return delegate.pending(conn, now);
    }

    @Override
    public List<EventCount> counts(Connection conn) {
        return delegate.counts(conn);
    }

    @Override
    public Page<OutboxEvent> queryDead(Connection conn, DeadQuery query) {
        return delegate.queryDead(conn, query);
    }

    @Override
    public int replayDead(Connection conn, Collection<String> eventIds) {
        return delegate.replayDead(conn, eventIds);
    }

    @Override
    public void prepareReadsByType(Connection conn) {
        delegate.prepareReadsByType(conn);
    }

    @Override
    public Optional<InspectionBackend> inspection(ConnectionProvider connections) {
        return delegate.inspection(connections);
    }

    @Override
    public Optional<DeadLetterBackend> deadLetters(ConnectionProvider connections) {
        return delegate.deadLetters(connections);
    }
}
