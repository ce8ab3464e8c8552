package io.outbox.store;

import io.outbox.spi.Insertion;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import io.outbox.spi.WriteBackend;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes with a store on the connection of the business transaction. A plain store cannot own what it inserts. */
final class StoreWriting implements WriteBackend {

    private final TxContext txContext;
    private final OutboxStore store;
    private final ThreadLocal<OpenWrites> openWrites = new ThreadLocal<>();

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
    public void prepareKeys() {
        ordering().prepareKeys(null);
    }

    @Override
    public void lockKeys(Collection<String> keys) {
        Connection conn = txContext.currentConnection();
        write(conn, () -> {
            ordering().lockKeys(conn, keys);
            return keys;
        });
    }

    private OwnershipStore ordering() {
        if (store instanceof OwnershipStore owning) {
            return owning;
        }
        throw new UnsupportedOperationException(store + " cannot keep the order of keys; an OwnershipStore can");
    }

    @Override
    public Set<String> persist(List<NewEvent> events) {
        Connection conn = txContext.currentConnection();
        return write(conn, () -> persist(conn, events));
    }

    /** The transaction may go on after a failure, or be rolled back: both need the connection as it is. */
    private <T> T write(Connection conn, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            store.afterFailedWrite(conn, e).ifPresent(cleanUp -> {
                try {
                    txContext.afterCompletion(end -> cleanUp.run());
                } catch (RuntimeException notRegistered) {
                    e.addSuppressed(notRegistered);
                }
            });
            throw e;
        }
    }

    private Set<String> persist(Connection conn, List<NewEvent> events) {
        NewEvent hot = events.stream().filter(NewEvent::hot).findFirst().orElse(null);
        if (hot == null
                && store instanceof OwnershipStore owning
                && events.stream().anyMatch(NewEvent::isKeyed)) {
            owning.insert(conn, events);
            return Set.of();
        }
        if (hot == null || !(store instanceof OwnershipStore owning)) {
            insertUnowned(conn, events);
            return Set.of();
        }
        Insertion insertion = owning.insert(conn, events);
        watch(owning, conn, hot.event().eventId(), insertion.revocable());
        return insertion.locked();
    }

    private void insertUnowned(Connection conn, List<NewEvent> events) {
        if (events.size() == 1) {
            store.insertNew(conn, events.get(0).event());
        } else {
            store.insertBatch(conn, events.stream().map(NewEvent::event).toList());
        }
    }

    /** Has the write looked for before the commit, unless its end is told earlier: by the rollback of a part. */
    private void watch(OwnershipStore owning, Connection conn, String eventId, boolean isRevocable) {
        OpenWrites known = writesOn(conn);
        OpenWrites writes = known != null ? known : new OpenWrites(owning, conn);
        if (known == null && !txContext.beforeCommit(writes::look)) {
            return;
        }
        openWrites.set(writes);
        writes.add(eventId, isRevocable);
        txContext.afterCompletion(end -> {
            writes.remove(eventId);
            if (writes.haveEnded() && openWrites.get() == writes) {
                openWrites.remove();
            }
        });
    }

    /** Returns the writes of the current transaction if they are the latest of this thread, else {@code null}. */
    private @Nullable OpenWrites writesOn(Connection conn) {
        OpenWrites latest = openWrites.get();
        return latest != null && latest.areOn(conn) ? latest : null;
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        OpenWrites writes = openWrites.get() == null ? null : writesOn(txContext.currentConnection());
        txContext.afterCompletion(writes == null ? callback : end -> callback.accept(writes.endOf(end)));
    }
}
