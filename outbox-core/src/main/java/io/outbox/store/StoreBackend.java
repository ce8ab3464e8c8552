package io.outbox.store;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventPurger;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.WriteBackend;
import java.sql.Connection;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The relational {@link OutboxBackend}: an {@link OutboxStore} on the business transaction of a {@link TxContext} for
 * writing, and on short-lived connections of a {@link ConnectionProvider} for everything else. Builders make one of
 * what they are given; who decorates an engine, or hands one to several, makes it here. Who needs only a part of it
 * asks for that part. Thread-safe.
 */
public final class StoreBackend extends ForwardingBackend {

    private final Runnable keyPreparation;

    private StoreBackend(
            WriteBackend writing, DeliveryBackend delivery, HousekeepingBackend housekeeping, Runnable keyPreparation) {
        super(writing, delivery, housekeeping);
        this.keyPreparation = keyPreparation;
    }

    @Override
    public void prepareKeys() {
        keyPreparation.run();
    }

    /** As {@link #of(ConnectionProvider, TxContext, OutboxStore, EventPurger)}, for an outbox that purges nothing. */
    public static OutboxBackend of(ConnectionProvider connectionProvider, TxContext txContext, OutboxStore store) {
        return of(connectionProvider, txContext, store, null);
    }

    /**
     * Returns the engine.
     *
     * @param connectionProvider gives connections that are not those of the application's transactions
     * @param txContext knows the application's transactions
     * @param store one with the five methods, or an {@link OwnershipStore}
     * @param purger deletes what is no longer needed, if anything does
     */
    public static OutboxBackend of(
            ConnectionProvider connectionProvider,
            TxContext txContext,
            OutboxStore store,
            @Nullable EventPurger purger) {
        WriteBackend writing = forWriting(txContext, store);
        ConnectionProvider separate =
                new OutsideTransaction(Objects.requireNonNull(connectionProvider, "connectionProvider"), txContext);
        return new StoreBackend(
                writing,
                forDelivery(separate, store),
                forHousekeeping(separate, store, purger),
                store instanceof OwnershipStore owning ? () -> owning.prepareKeys(separate) : writing::prepareKeys);
    }

    /** Returns the part that writes. */
    public static WriteBackend forWriting(TxContext txContext, OutboxStore store) {
        return new StoreWriting(txContext, store);
    }

    /** Returns the part that delivers. */
    public static DeliveryBackend forDelivery(ConnectionProvider connectionProvider, OutboxStore store) {
        Objects.requireNonNull(connectionProvider, "connectionProvider");
        Objects.requireNonNull(store, "outboxStore");
        return store instanceof OwnershipStore owning
                ? owning.delivery(connectionProvider)
                : new PlainDelivery(new Connections(connectionProvider), store);
    }

    /** Returns the part that keeps house; without a purger nothing can be purged. */
    public static HousekeepingBackend forHousekeeping(
            ConnectionProvider connectionProvider, OutboxStore store, @Nullable EventPurger purger) {
        Objects.requireNonNull(connectionProvider, "connectionProvider");
        Objects.requireNonNull(store, "outboxStore");
        EventPurger purging = purger == null ? StoreBackend::noPurger : purger;
        return store instanceof OwnershipStore owning
                ? owning.housekeeping(connectionProvider, purging)
                : new PlainHousekeeping(new Connections(connectionProvider), store, purging);
    }

    private static int noPurger(Connection conn, Instant before, int limit) {
        throw new IllegalStateException("No EventPurger configured: set purger(...) on the builder");
    }

    /** Returns a part that can only purge. */
    public static HousekeepingBackend forPurge(ConnectionProvider connectionProvider, EventPurger purger) {
        Objects.requireNonNull(purger, "purger");
        return new PlainHousekeeping(new Connections(connectionProvider), null, purger);
    }
}
