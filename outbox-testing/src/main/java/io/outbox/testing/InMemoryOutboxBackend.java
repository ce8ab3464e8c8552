package io.outbox.testing;

import static io.outbox.testing.Transitions.micros;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.TransactionEnd;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A complete storage engine in memory, for tests. It keeps all rules of {@link OutboxBackend}, claims included. Nothing
 * survives the JVM.
 *
 * <p>It comes in two kinds. One has transactions of its own, and needs one to write: events become visible when it
 * commits. The other, {@link #withoutTransactions}, needs none: what is written is visible at once, unless the thread has
 * {@linkplain #begin() begun} a transaction all the same.
 *
 * <p>Leases run on the given clock, with the microseconds that databases keep. Thread-safe.
 */
public final class InMemoryOutboxBackend implements OutboxBackend {

    private final InMemoryTable table;
    private final boolean needsTransaction;
    private final ThreadLocal<InMemoryTransaction> current = new ThreadLocal<>();

    /** Creates an empty store that lives on the system's time. */
    public InMemoryOutboxBackend() {
        this(Clock.systemUTC());
    }

    /** Creates an empty store that lives on the given clock's time. */
    public InMemoryOutboxBackend(Clock clock) {
        this(clock, true);
    }

    private InMemoryOutboxBackend(Clock clock, boolean needsTransaction) {
        this.table = new InMemoryTable(Objects.requireNonNull(clock, "clock"));
        this.needsTransaction = needsTransaction;
    }

    /** Returns an empty store that needs no transaction and lives on the given clock's time. */
    public static InMemoryOutboxBackend withoutTransactions(Clock clock) {
        return new InMemoryOutboxBackend(clock, false);
    }

    /**
     * Begins a transaction on the calling thread.
     *
     * @throws IllegalStateException if the thread is in one already
     */
    public InMemoryTransaction begin() {
        if (isTransactionActive()) {
            throw new IllegalStateException("This thread is in a transaction already; commit or roll back that one");
        }
        InMemoryTransaction transaction = new InMemoryTransaction(table, current::remove);
        current.set(transaction);
        return transaction;
    }

    /** Runs the work in a transaction that commits, or rolls back if the work throws. */
    public void inTransaction(Runnable work) {
        callInTransaction(() -> {
            work.run();
            return null;
        });
    }

    /** Calls the work in a transaction that commits, or rolls back if the work throws, and returns its result. */
    public <T> T callInTransaction(Supplier<T> work) {
        try (InMemoryTransaction transaction = begin()) {
            T result = work.get();
            transaction.commit();
            return result;
        }
    }

    /** Returns all stored events, in the order in which they became visible. */
    public List<StoredEvent> events() {
        return table.all();
    }

    /** Returns the stored event with this id. */
    public Optional<StoredEvent> find(String eventId) {
        return table.find(eventId);
    }

    // Writing

    @Override
    public boolean requiresActiveTransaction() {
        return needsTransaction;
    }

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public String noTransactionReason() {
        return "No transaction on this thread: call begin() or inTransaction(...) first";
    }

    @Override
    public Set<String> persist(List<NewEvent> batch) {
        InMemoryTransaction transaction = transaction();
        Map<String, StoredEvent> rows = new LinkedHashMap<>();
        Set<String> owned = new HashSet<>();
        for (NewEvent event : batch) {
            StoredEvent stored = new StoredEvent(row(event.event()), EventStatus.NEW, null, null, null, null);
            if (event.ownerId() != null) {
                stored = stored.lockedBy(event.ownerId(), table.currentTime());
                owned.add(stored.eventId());
            }
            rows.put(stored.eventId(), stored);
        }
        if (rows.size() < batch.size()) {
            throw new DuplicateEventException(
                    batch.stream().map(event -> event.event().eventId()).toList(), null);
        }
        if (transaction == null) {
            table.insert(rows);
        } else {
            transaction.add(rows);
        }
        return owned;
    }

    private static OutboxEvent row(EventEnvelope event) {
        Instant availableAt = event.availableAt() != null ? event.availableAt() : event.occurredAt();
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedPayload(),
                event.storedHeaders(),
                0,
                micros(event.occurredAt()),
                micros(availableAt));
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        InMemoryTransaction transaction = transaction();
        if (transaction == null) {
            callback.accept(TransactionEnd.COMMITTED);
        } else {
            transaction.afterCompletion(callback);
        }
    }

    /** Returns the transaction of this thread, or {@code null} if there is none and none is needed. */
    private InMemoryTransaction transaction() {
        if (needsTransaction && !isTransactionActive()) {
            throw new IllegalStateException(noTransactionReason());
        }
        return current.get();
    }

    // Delivering

    @Override
    public Set<Capability> capabilities() {
        return table.capabilities();
    }

    @Override
    public void prepareReadsByType() {
        table.prepareReadsByType();
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        return table.fetch(request);
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        return table.claim(request);
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        return table.apply(ownerId, outcomes);
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return table.doneAmong(eventIds);
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return table.renew(ownerId, eventIds);
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return table.release(ownerId, eventIds);
    }

    @Override
    public Instant currentTime() {
        return table.currentTime();
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return table.nextDueAt(now);
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return table.oldestDueAt(now);
    }

    // Housekeeping

    @Override
    public List<PendingEvents> pending(Instant now) {
        return table.pending(now);
    }

    @Override
    public List<EventCount> counts() {
        return table.counts();
    }

    @Override
    public int purge(Instant before, int limit) {
        return table.purge(before, limit);
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return table.purgeDone(before, limit);
    }

    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        return table.queryDead(query);
    }

    @Override
    public int replayDead(Collection<String> eventIds) {
        return table.replayDead(eventIds);
    }

    @Override
    public int countDead(String eventType) {
        return table.countDead(eventType);
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return table.inspection();
    }

    @Override
    public Optional<DeadLetterBackend> deadLetters() {
        return table.deadLetters();
    }
}
