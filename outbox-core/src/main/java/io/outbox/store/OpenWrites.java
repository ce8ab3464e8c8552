package io.outbox.store;

import io.outbox.spi.OwnershipStore;
import io.outbox.spi.TransactionEnd;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one transaction until it ends, and whether they outlast it.
 *
 * <p>A transaction can commit without what was written in it. MySQL, MariaDB and H2 answer a deadlock by rolling back
 * the whole transaction; an application that catches the failure and goes on commits a new one. On PostgreSQL a
 * statement that fails aborts the transaction, and its commit is a rollback that drivers report as a success. A
 * savepoint that is undone on the connection itself has such an effect everywhere. So the writes are looked for right
 * before the commit, where the store says that this is needed by one event of each: a write is there as a whole or not
 * at all. If one is missing, the end of the transaction counts as unknown, and the poller delivers what is left of it.
 *
 * <p>Used by the thread of the transaction, and by the one that ends it, which may be another if it has timed out.
 * Thread-safe.
 */
final class OpenWrites {

    private static final System.Logger LOG = System.getLogger("io.outbox.writing");

    private final OwnershipStore store;
    private final Connection conn;
    private final Set<String> revocable = new LinkedHashSet<>();
    private int open;
    private boolean looked;
    private boolean doubtful;

    OpenWrites(OwnershipStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    boolean areOn(Connection other) {
        return conn == other;
    }

    synchronized boolean haveEnded() {
        return open == 0;
    }

    /** Adds a write with one of its events. What is written after the look is in doubt. */
    synchronized void add(String eventId, boolean isRevocable) {
        open++;
        if (isRevocable) {
            revocable.add(eventId);
        }
        doubtful |= looked;
    }

    /** Removes a write whose end is known. */
    synchronized void remove(String eventId) {
        open--;
        revocable.remove(eventId);
    }

    /** Looks for the writes. Called right before the commit. */
    void look() {
        try {
            Set<String> wanted = beginToLook();
            if (wanted != null && !areStored(wanted)) {
                doubt();
                LOG.log(
                        Level.WARNING,
                        "Events are missing from a transaction that is about to commit, so they are not delivered. Either a"
                                + " statement failed, the database rolled back (after a deadlock, for example) and the"
                                + " application continued, or a savepoint was undone on the connection. After a failed"
                                + " statement, roll back and repeat the transaction");
            }
        } catch (RuntimeException e) {
            doubt();
            LOG.log(Level.DEBUG, "Cannot look for events before the commit; they are left to the poller", e);
        }
    }

    /** Returns the events to look for, or {@code null} if no write is open. */
    private synchronized @Nullable Set<String> beginToLook() {
        looked = true;
        return open == 0 ? null : Set.copyOf(revocable);
    }

    private synchronized void doubt() {
        doubtful = true;
    }

    private boolean areStored(Set<String> wanted) {
        return store.isIntact(conn)
                && (wanted.isEmpty() || store.stored(conn, wanted).containsAll(wanted));
    }

    /** Returns how the transaction ended for its events, given how it was reported. */
    synchronized TransactionEnd endOf(TransactionEnd reported) {
        return doubtful && reported == TransactionEnd.COMMITTED ? TransactionEnd.UNKNOWN : reported;
    }
}
