package io.outbox.jdbc.store;

import io.outbox.spi.ConnectionProvider;
import io.outbox.store.Connections;
import java.sql.Connection;
import java.util.function.Function;

/** Runs work of a store on connections of its own, again where the database gives it up. */
final class StoreConnections {

    private final AbstractJdbcOutboxStore store;
    private final Connections connections;

    StoreConnections(AbstractJdbcOutboxStore store, ConnectionProvider provider) {
        this.store = store;
        this.connections = new Connections(provider);
    }

    /** Runs work that begins transactions where it needs them. */
    <T> T with(Function<Connection, T> work) {
        return connections.with(work);
    }

    /** Runs work that locks nothing. */
    <T> T reading(Function<Connection, T> work) {
        return with(conn -> store.reading(conn, () -> work.apply(conn)));
    }

    /** Runs work in one transaction. */
    <T> T inTransaction(Function<Connection, T> work) {
        return with(conn -> store.inTransaction(conn, () -> work.apply(conn)));
    }
}
