package io.outbox.spi;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An {@link OutboxStore} that keeps ownership in its rows, reads in pages and applies outcomes in batches: what
 * multi-node delivery needs, and what makes every mode fast. It writes on the connection of the application's
 * transaction; for everything else it gives the parts of a storage engine on connections of their own, and the rules
 * are those of {@link OutboxBackend}. To add something to what an existing store does, decorate the engine: {@link
 * ForwardingBackend}.
 */
public interface OwnershipStore extends OutboxStore {

    /**
     * Inserts the events, in order, with status NEW; those with an owner are locked by it at database time. If some are
     * {@link NewEvent#hot()}, tells whether only a look at the rows can show, before the commit, that the insert was
     * undone; a store that cannot know better says so.
     *
     * @throws io.outbox.DuplicateEventException if an event with the same id is stored already
     */
    Insertion insert(Connection conn, List<NewEvent> events);

    /**
     * Returns whether the transaction of the connection, about to commit, still holds what was inserted in it and is
     * not revocable; true if the store reports every insert as revocable.
     */
    boolean isIntact(Connection conn);

    /**
     * Returns which of these events the transaction of the connection sees, regardless of their status. Asked right
     * before the commit for events whose insert is revocable.
     */
    Set<String> stored(Connection conn, Collection<String> eventIds);

    /**
     * Keeps the order of keys from now on, for all that is written to and delivered from the table, after a look
     * whether the table can: see {@link WriteBackend#prepareKeys()}.
     *
     * @param connections where to look, or {@code null} if the table cannot be looked at
     */
    default void prepareKeys(@Nullable ConnectionProvider connections) {
        throw new UnsupportedOperationException(this + " cannot keep the order of keys");
    }

    /** Locks keys until the transaction of the connection ends: see {@link WriteBackend#lockKeys}. */
    default void lockKeys(Connection conn, Collection<String> keys) {
        throw new UnsupportedOperationException(this + " cannot lock keys");
    }

    /** Returns the part that delivers, on connections of the provider. The time of a lock is the database's. */
    DeliveryBackend delivery(ConnectionProvider connections);

    /** Returns the part that keeps house, on connections of the provider; it purges with the purger given. */
    HousekeepingBackend housekeeping(ConnectionProvider connections, EventPurger purger);
}
