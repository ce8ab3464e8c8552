package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The relational {@link OutboxBackend}: an {@link OutboxStore} on the business transaction of a {@link TxContext} for
 * writing, and on short-lived connections of a {@link ConnectionProvider} for everything else.
 *
 * <p>A plain store is driven one event at a time. An {@link OwnershipStore} is driven in batches and can claim. Each
 * call outside of the business transaction takes a connection of its own, in auto-commit mode.
 */
public final class StoreBackend implements OutboxBackend {

    private final ConnectionProvider connectionProvider;
    private final TxContext txContext;
    private final OutboxStore store;
    private final OwnershipStore ownershipStore;
    private final EventPurger purger;

    private StoreBackend(
            ConnectionProvider connectionProvider, TxContext txContext, OutboxStore store, EventPurger purger) {
        this.connectionProvider = connectionProvider;
        this.txContext = txContext;
        this.store = store;
        this.ownershipStore = store instanceof OwnershipStore owning ? owning : null;
        this.purger = purger;
    }

    /** Returns a backend for all operations; the purger may be {@code null} if nothing is purged. */
    public static StoreBackend of(
            ConnectionProvider connectionProvider, TxContext txContext, OutboxStore store, EventPurger purger) {
        return new StoreBackend(
                Objects.requireNonNull(connectionProvider, "connectionProvider"),
                Objects.requireNonNull(txContext, "txContext"),
                Objects.requireNonNull(store, "outboxStore"),
                purger);
    }

    /** Returns a backend that can only write. */
    public static StoreBackend forWriting(TxContext txContext, OutboxStore store) {
        return new StoreBackend(
                null,
                Objects.requireNonNull(txContext, "txContext"),
                Objects.requireNonNull(store, "outboxStore"),
                null);
    }

    /** Returns a backend that can only deliver and manage dead events. */
    public static StoreBackend forDelivery(ConnectionProvider connectionProvider, OutboxStore store) {
        return new StoreBackend(
                Objects.requireNonNull(connectionProvider, "connectionProvider"),
                null,
                Objects.requireNonNull(store, "outboxStore"),
                null);
    }

    /** Returns a backend that can only purge. */
    public static StoreBackend forPurge(ConnectionProvider connectionProvider, EventPurger purger) {
        return new StoreBackend(
                Objects.requireNonNull(connectionProvider, "connectionProvider"),
                null,
                null,
                Objects.requireNonNull(purger, "purger"));
    }

    @Override
    public boolean requiresActiveTransaction() {
        return true;
    }

    @Override
    public boolean supportsClaiming() {
        return ownershipStore != null;
    }

    @Override
    public boolean isTransactionActive() {
        return txContext.isTransactionActive();
    }

    @Override
    public void persist(List<EventEnvelope> events, String ownerId) {
        Connection conn = txContext.currentConnection();
        if (ownerId != null && ownershipStore != null) {
            ownershipStore.insertOwned(conn, events, ownerId);
        } else if (events.size() == 1) {
            store.insertNew(conn, events.get(0));
        } else {
            store.insertBatch(conn, events);
        }
    }

    @Override
    public void afterCompletion(Runnable committed, Runnable rolledBack) {
        txContext.afterCommit(committed);
        txContext.afterRollback(rolledBack);
    }

    @Override
    public List<OutboxEvent> fetch(FetchRequest request) {
        return withConnection(conn -> {
            if (ownershipStore == null) {
                int limit = (int) Math.min(Integer.MAX_VALUE, (long) request.limit() + request.held());
                return store.pollPending(conn, request.now(), request.skipRecent(), limit);
            }
            return ownershipStore.pollPending(
                    conn, request.now(), request.skipRecent(), request.types(), request.after(), request.limit());
        });
    }

    @Override
    public List<OutboxEvent> claim(ClaimRequest request) {
        return withConnection(conn -> {
            if (ownershipStore != null) {
                return ownershipStore.claimPending(conn, request, ownershipStore.currentTime(conn));
            }
            Instant now = Instant.now();
            return store.claimPending(
                    conn,
                    request.lease().ownerId(),
                    now,
                    request.lockExpiry(now),
                    request.skipRecent(),
                    request.limit());
        });
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        return withConnection(conn -> ownershipStore != null
                ? ownershipStore.applyOutcomes(conn, ownerId, outcomes)
                : applyTogether(conn, outcomes));
    }

    /** Applies all outcomes or none, since repeating a part of them would count attempts twice. */
    private Map<String, EventStatus> applyTogether(Connection conn, List<Outcome> outcomes) {
        if (outcomes.size() == 1) {
            return applyOneByOne(conn, outcomes);
        }
        try {
            conn.setAutoCommit(false);
            try {
                Map<String, EventStatus> applied = applyOneByOne(conn, outcomes);
                conn.commit();
                return applied;
            } catch (RuntimeException | Error | SQLException e) {
                conn.rollback();
                throw e;
            } finally {
                conn.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new OutboxBackendException("The outcomes cannot be written: " + e.getMessage(), e);
        }
    }

    private Map<String, EventStatus> applyOneByOne(Connection conn, List<Outcome> outcomes) {
        Map<String, EventStatus> applied = new HashMap<>();
        for (Outcome outcome : outcomes) {
            String id = outcome.eventId();
            if (outcome instanceof Outcome.Done) {
                record(applied, id, EventStatus.DONE, store.markDone(conn, id));
            } else if (outcome instanceof Outcome.Deferred deferred) {
                record(applied, id, EventStatus.NEW, store.markDeferred(conn, id, deferred.until()));
            } else if (outcome instanceof Outcome.Dead dead) {
                record(applied, id, EventStatus.DEAD, store.markDead(conn, id, dead.error()));
            } else if (outcome instanceof Outcome.Failed failed && failed.exhausted()) {
                record(applied, id, EventStatus.DEAD, store.markDead(conn, id, failed.error()));
            } else if (outcome instanceof Outcome.Failed failed) {
                record(applied, id, EventStatus.RETRY, store.markRetry(conn, id, failed.retryAt(), failed.error()));
            }
        }
        return applied;
    }

    private static void record(Map<String, EventStatus> applied, String eventId, EventStatus status, int rows) {
        if (rows > 0) {
            applied.put(eventId, status);
        }
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return withConnection(conn -> ownershipStore.renewLocks(conn, ownerId, eventIds));
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return ownershipStore == null
                ? 0
                : withConnection(conn -> ownershipStore.releaseLocks(conn, ownerId, eventIds));
    }

    @Override
    public Instant currentTime() {
        return ownershipStore == null ? Instant.now() : withConnection(ownershipStore::currentTime);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return ownershipStore == null ? Optional.empty() : withConnection(conn -> ownershipStore.nextDueAt(conn, now));
    }

    @Override
    public List<PendingEvents> pending(Instant now) {
        return connectionProvider == null ? List.of() : withConnection(conn -> store.pending(conn, now));
    }

    @Override
    public String noTransactionReason() {
        return txContext.noTransactionReason();
    }

    @Override
    public List<EventCount> counts() {
        return connectionProvider == null ? List.of() : withConnection(store::counts);
    }

    @Override
    public int purge(Instant before, int limit) {
        return withConnection(conn -> purger().purge(conn, before, limit));
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return withConnection(conn -> purger().purgeDone(conn, before, limit));
    }

    private EventPurger purger() {
        if (purger == null) {
            throw new IllegalStateException("No EventPurger configured: set purger(...) on the builder");
        }
        return purger;
    }

    @Override
    public List<OutboxEvent> queryDead(String eventType, String aggregateType, int limit) {
        return withConnection(conn -> store.queryDead(conn, eventType, aggregateType, limit));
    }

    @Override
    public int replayDead(String eventId) {
        return withConnection(conn -> store.replayDead(conn, eventId));
    }

    @Override
    public int countDead(String eventType) {
        return withConnection(conn -> store.countDead(conn, eventType));
    }

    /** Runs the work on a connection of its own, in auto-commit mode: the store begins transactions where it needs them. */
    private <T> T withConnection(Function<Connection, T> work) {
        if (connectionProvider == null) {
            throw new IllegalStateException("No ConnectionProvider configured: this backend can only write events");
        }
        try (Connection conn = connectionProvider.getConnection()) {
            if (conn.getAutoCommit()) {
                return work.apply(conn);
            }
            conn.setAutoCommit(true);
            try {
                return work.apply(conn);
            } finally {
                conn.setAutoCommit(false);
            }
        } catch (SQLException e) {
            throw new OutboxBackendException("The outbox database is not available: " + e.getMessage(), e);
        }
    }
}
