package io.outbox.internal.store;

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
import java.util.Objects;

/**
 * The relational {@link OutboxBackend}: an {@link OutboxStore} on the business transaction of a {@link TxContext} for
 * writing, and on short-lived connections of a {@link ConnectionProvider} for everything else. Who needs only a part of it
 * asks for that part.
 */
public final class StoreBackend extends ForwardingBackend {

    private StoreBackend(WriteBackend writing, DeliveryBackend delivery, HousekeepingBackend housekeeping) {
        super(writing, delivery, housekeeping);
    }

    /** Returns all parts; the purger may be {@code null} if nothing is purged. */
    public static StoreBackend of(
            ConnectionProvider connectionProvider, TxContext txContext, OutboxStore store, EventPurger purger) {
        WriteBackend writing = forWriting(txContext, store);
        ConnectionProvider separate =
                new OutsideTransaction(Objects.requireNonNull(connectionProvider, "connectionProvider"), txContext);
        return new StoreBackend(writing, forDelivery(separate, store), forHousekeeping(separate, store, purger));
    }

    /** Returns the part that writes. */
    public static WriteBackend forWriting(TxContext txContext, OutboxStore store) {
        return new StoreWriting(txContext, store);
    }

    /** Returns the part that delivers. */
    public static DeliveryBackend forDelivery(ConnectionProvider connectionProvider, OutboxStore store) {
        Connections connections = new Connections(connectionProvider);
        Objects.requireNonNull(store, "outboxStore");
        return store instanceof OwnershipStore owning
                ? new OwnershipDelivery(connections, owning)
                : new PlainDelivery(connections, store);
    }

    /** Returns the part that keeps house; the purger may be {@code null} if nothing is purged. */
    public static HousekeepingBackend forHousekeeping(
            ConnectionProvider connectionProvider, OutboxStore store, EventPurger purger) {
        Objects.requireNonNull(store, "outboxStore");
        return new StoreHousekeeping(new Connections(connectionProvider), store, purger);
    }

    /** Returns a part that can only purge. */
    public static HousekeepingBackend forPurge(ConnectionProvider connectionProvider, EventPurger purger) {
        Objects.requireNonNull(purger, "purger");
        return new StoreHousekeeping(new Connections(connectionProvider), null, purger);
    }
}
