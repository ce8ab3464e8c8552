package io.outbox.internal.store;

import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import io.outbox.spi.WriteBackend;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** Writes with a store on the connection of the business transaction. A plain store cannot own what it inserts. */
final class StoreWriting implements WriteBackend {

    private final TxContext txContext;
    private final OutboxStore store;

    StoreWriting(TxContext txContext, OutboxStore store) {
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.store = Objects.requireNonNull(store, "outboxStore");
    }

    @Override
    public boolean requiresActiveTransaction() {
        return true;
    }

    @Override
    public boolean isTransactionActive() {
        return txContext.isTransactionActive();
    }

    @Override
    public String noTransactionReason() {
        return txContext.noTransactionReason();
    }

    @Override
    public Set<String> persist(List<NewEvent> events) {
        Connection conn = txContext.currentConnection();
        if (events.stream().anyMatch(event -> event.ownerId() != null) && store instanceof OwnershipStore owning) {
            return owning.insert(conn, events);
        }
        if (events.size() == 1) {
            store.insertNew(conn, events.get(0).event());
        } else {
            store.insertBatch(conn, events.stream().map(NewEvent::event).toList());
        }
        return Set.of();
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        txContext.afterCompletion(callback);
    }
}
