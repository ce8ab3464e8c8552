package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Connections that lead to a server which only reads. A pool keeps them, because they work: after a fail-over it would
 * hand them out until they are too old. So they are cut off, which every pool notices, and the next one may lead to the
 * primary.
 *
 * <p>If it does not, the address itself leads to such a server, and new connections are no better. So as many are
 * dropped in a row as a pool may have, and one a second after that. When a change has succeeded, the others are worth
 * dropping again; queries prove nothing, because they succeed on such a server, too. Thread-safe.
 */
final class StaleConnections {

    private static final System.Logger LOG = System.getLogger(StaleConnections.class.getName());
    private static final int MOST_IN_A_ROW = 20;
    private static final long ONE_MORE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private int left = MOST_IN_A_ROW;
    /** Whether any was dropped since the last change; spares all others the lock. */
    private volatile boolean dropping;

    private long countedAt;

    StaleConnections(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.countedAt = nanoTime.getAsLong();
    }

    /** Cuts the connection off, unless that has happened too often lately; returns whether another is worth a try. */
    boolean drop(Connection conn) {
        if (!takeOne()) {
            return false;
        }
        LOG.log(Level.DEBUG, "A connection leads to a server that only reads; it is closed");
        try {
            conn.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "The connection cannot be closed", e);
        }
        return true;
    }

    /**
     * Returns what to do, after the end of a transaction of the application, about a connection on which the server has
     * refused to write; nothing if the application itself had asked for a transaction that only reads.
     */
    Optional<Runnable> afterFailedWrite(Connection conn, RuntimeException failure) {
        if (!(failure instanceof OutboxStoreException refused) || !refused.isReadOnly() || isMeantToRead(conn)) {
            return Optional.empty();
        }
        Connection physical = physical(conn); // what a pool wraps around it is of no use once it is closed
        return Optional.of(() -> drop(physical));
    }

    private static boolean isMeantToRead(Connection conn) {
        try {
            return conn.isReadOnly();
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    /** Returns the driver's connection inside one that a pool wraps around it each time. */
    static Connection physical(Connection conn) {
        try {
            return conn.unwrap(Connection.class);
        } catch (SQLException | RuntimeException e) {
            return conn;
        }
    }

    /** Notes that the server has accepted a change. */
    void changed() {
        if (dropping) {
            dropping = false;
            refill();
        }
    }

    private synchronized void refill() {
        left = MOST_IN_A_ROW;
    }

    /** Returns whether another connection is worth a try now. */
    synchronized boolean takeOne() {
        long now = nanoTime.getAsLong();
        long more = (now - countedAt) / ONE_MORE_NANOS;
        countedAt += more * ONE_MORE_NANOS;
        left = (int) Math.min(MOST_IN_A_ROW, left + more);
        dropping = true;
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}
