package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxBackendException;
import io.outbox.store.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Runs work of a store on connections of its own, again where the database gives it up, and on another connection where
 * the server only reads.
 */
final class StoreConnections {

    /** The states of a connection that does not exist any more; the latter is MariaDB's. */
    private static final Set<String> CLOSED = Set.of("08003", "08000");

    private final AbstractJdbcOutboxStore store;
    private final Connections connections;
    private final PrimaryCheck primary;
    private final StaleConnections stale = new StaleConnections(System::nanoTime);

    StoreConnections(AbstractJdbcOutboxStore store, ConnectionProvider provider) {
        this.store = store;
        this.connections = new Connections(provider);
        this.primary = new PrimaryCheck(store, System::nanoTime);
    }

    /** Runs work that begins transactions where it needs them. */
    <T> T with(Function<Connection, T> work) {
        T result = attempt(work);
        stale.changed();
        return result;
    }

    /** Runs work, again on another connection if its server only reads. */
    private <T> T attempt(Function<Connection, T> work) {
        for (boolean again = false; ; again = true) {
            AtomicBoolean dropped = new AtomicBoolean();
            try {
                return connections.with(conn -> run(conn, work, dropped));
            } catch (OutboxBackendException e) {
                primary.forget(); // the server may have changed for all of them
                // a pool may hand out what was dropped a moment ago, and notices only then
                if (!dropped.get() && !(again && isClosed(e) && stale.takeOne())) {
                    throw e;
                }
            }
        }
    }

    /** Runs work that an operator waits for: its statements are given up after {@value QueryLimit#SECONDS} seconds. */
    <T> T limited(Function<Connection, T> work) {
        return with(conn -> work.apply(QueryLimit.on(conn, store)));
    }

    /** Runs such work that locks nothing. */
    <T> T readingLimited(Function<Connection, T> work) {
        return attempt(conn -> {
            Connection limited = QueryLimit.on(conn, store);
            return store.reading(limited, () -> work.apply(limited));
        });
    }

    private static boolean isClosed(OutboxBackendException e) {
        return e.getCause() instanceof SQLException cause && CLOSED.contains(String.valueOf(cause.getSQLState()));
    }

    private <T> T run(Connection conn, Function<Connection, T> work, AtomicBoolean dropped) {
        try {
            return work.apply(conn);
        } catch (OutboxStoreException e) {
            dropped.set(e.isReadOnly() && stale.drop(conn));
            throw e;
        }
    }

    /** Runs work that locks nothing. */
    <T> T reading(Function<Connection, T> work) {
        return attempt(conn -> store.reading(conn, () -> work.apply(conn)));
    }

    /** Runs work that locks nothing, on no server but the primary: what a replica has may be out of date. */
    <T> T readingFromPrimary(Function<Connection, T> work) {
        return reading(conn -> {
            primary.require(conn);
            return work.apply(conn);
        });
    }

    /**
     * Runs work that begins transactions where it needs them, on no server but the primary. For claims: one that finds
     * nothing changes nothing, and would not fail on a replica.
     */
    <T> T withPrimary(Function<Connection, T> work) {
        return with(conn -> {
            requirePrimary(conn);
            return work.apply(conn);
        });
    }

    private void requirePrimary(Connection conn) {
        store.reading(conn, () -> {
            primary.require(conn);
            return conn;
        });
    }

    /** Runs work in one transaction. */
    <T> T inTransaction(Function<Connection, T> work) {
        return with(conn -> store.inTransaction(conn, () -> work.apply(conn)));
    }
}
