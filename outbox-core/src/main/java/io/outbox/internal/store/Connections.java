package io.outbox.internal.store;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxBackendException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Function;

/** Runs work on short-lived connections in auto-commit mode: a store begins transactions where it needs them. */
public final class Connections {

    private final ConnectionProvider provider;

    public Connections(ConnectionProvider provider) {
        this.provider = Objects.requireNonNull(provider, "connectionProvider");
    }

    ConnectionProvider provider() {
        return provider;
    }

    /** Runs the work on a connection that is closed afterwards. */
    public <T> T with(Function<Connection, T> work) {
        try (Connection conn = provider.getConnection()) {
            if (conn.getAutoCommit()) {
                return work.apply(conn);
            }
            conn.setAutoCommit(true);
            T result = work.apply(conn);
            conn.setAutoCommit(false);
            return result;
        } catch (SQLException e) {
            throw new OutboxBackendException("The outbox database is not available: " + e.getMessage(), e);
        }
    }
}
