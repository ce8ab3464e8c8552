package io.outbox.store;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxBackendException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Function;

/**
 * Runs work on short-lived connections in auto-commit mode: a store begins transactions where it needs them, with
 * {@link OwnTransaction}. A connection goes back in the mode in which it came. Thread-safe.
 */
public final class Connections {

    private final ConnectionProvider provider;

    public Connections(ConnectionProvider provider) {
        this.provider = Objects.requireNonNull(provider, "connectionProvider");
    }

    /**
     * Returns a connection of the provider that is not in the application's transaction.
     *
     * @throws IllegalStateException if it is: what the outbox does on its own there would commit the application's work
     */
    public static Connection open(ConnectionProvider provider) throws SQLException {
        Connection conn = provider.getConnection();
        try {
            if (conn == null || !JoinedConnections.isJoined(conn)) {
                return conn;
            }
        } catch (SQLException | RuntimeException e) {
            conn.close();
            throw e;
        }
        conn.close();
        throw isJoined();
    }

    static IllegalStateException isJoined() {
        return new IllegalStateException(
                "The ConnectionProvider of the outbox returned the connection of the current"
                        + " transaction. The outbox has not used it, since that would commit the transaction. Give the outbox a"
                        + " provider of separate connections: the pool itself, not a DataSource that takes part in transactions");
    }

    /**
     * Runs the work on a connection that is closed afterwards.
     *
     * @throws OutboxBackendException if there is no connection
     * @throws IllegalStateException if the connection is in the application's transaction
     */
    public <T> T with(Function<Connection, T> work) {
        try (Connection conn = open(provider)) {
            return conn == null || conn.getAutoCommit() ? work.apply(conn) : inAutoCommitMode(conn, work);
        } catch (SQLException e) {
            throw new OutboxBackendException("The outbox database is not available: " + e.getMessage(), e);
        }
    }

    private static <T> T inAutoCommitMode(Connection conn, Function<Connection, T> work) throws SQLException {
        conn.setAutoCommit(true);
        T result;
        try {
            result = work.apply(conn);
        } catch (RuntimeException | Error e) {
            restore(conn, e);
            throw e;
        }
        conn.setAutoCommit(false);
        return result;
    }

    private static void restore(Connection conn, Throwable reason) {
        try {
            conn.setAutoCommit(false);
        } catch (SQLException | RuntimeException failure) {
            reason.addSuppressed(failure);
        }
    }
}
