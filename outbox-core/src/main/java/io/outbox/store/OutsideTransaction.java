package io.outbox.store;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Connections that are not those of the application's transaction. A provider may return the connection of the
 * transaction that the calling thread is in; what the outbox does there on its own would commit the application's work.
 */
final class OutsideTransaction implements ConnectionProvider {

    private final ConnectionProvider provider;
    private final TxContext txContext;

    OutsideTransaction(ConnectionProvider provider, TxContext txContext) {
        this.provider = provider;
        this.txContext = txContext;
    }

    /** @throws IllegalStateException if the provider returns the connection of the current transaction */
    @Override
    public Connection getConnection() throws SQLException {
        Connection current = txContext.boundConnection();
        Connection conn = Connections.open(provider);
        if (current == null || conn == null) {
            return conn;
        }
        if (conn != current) {
            if (isSeparate(conn, current)) {
                return conn;
            }
            conn.close();
        }
        throw Connections.isJoined();
    }

    /** Returns whether the connection is in auto-commit mode, or not a proxy of that of the transaction. */
    private static boolean isSeparate(Connection conn, Connection current) throws SQLException {
        try {
            return conn.getAutoCommit()
                    || conn.getMetaData().getConnection()
                            != current.getMetaData().getConnection();
        } catch (SQLException | RuntimeException e) {
            conn.close();
            throw e;
        }
    }
}
