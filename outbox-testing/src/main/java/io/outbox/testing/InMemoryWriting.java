package io.outbox.testing;

import static io.outbox.testing.Transitions.micros;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.WriteBackend;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Writing to a table in memory, with the transactions of its threads. Thread-safe. */
final class InMemoryWriting implements WriteBackend {

    private final InMemoryTable table;
    private final boolean needsTransaction;
    private final ThreadLocal<InMemoryTransaction> current = new ThreadLocal<>();

    InMemoryWriting(InMemoryTable table, boolean needsTransaction) {
        this.table = table;
        this.needsTransaction = needsTransaction;
    }

    /** @throws IllegalStateException if the thread is in a transaction already */
    InMemoryTransaction begin() {
        if (isTransactionActive()) {
            throw new IllegalStateException("This thread is in a transaction already; commit or roll back that one");
        }
        InMemoryTransaction transaction = new InMemoryTransaction(table, current::remove);
        current.set(transaction);
        return transaction;
    }

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

    /** Does nothing: the table keeps the order of keys without preparation. */
    @Override
    public void prepareKeys() {}

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
        batch.stream()
                .filter(NewEvent::isKeyed)
                .forEach(event -> table.keepOrder(event.event().eventId(), event.orderKey()));
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
}
