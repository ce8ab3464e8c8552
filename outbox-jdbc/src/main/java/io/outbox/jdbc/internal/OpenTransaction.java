package io.outbox.jdbc.internal;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Asks PostgreSQL's driver for the state of a transaction, which it knows from the server's last answer. */
public final class OpenTransaction {

    private OpenTransaction() {}

    /**
     * Returns whether the connection is in a transaction that has not been aborted; empty if a pool or another driver
     * hides PostgreSQL's connection.
     */
    public static Optional<Boolean> isOn(Connection conn) {
        if (!FreshPlan.DRIVER_PRESENT) {
            return Optional.empty();
        }
        try {
            return Driver.isOpen(conn);
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot read the state of the transaction: " + e.getMessage(), e);
        }
    }

    /** Loaded only where the driver is present. */
    private static final class Driver {

        static Optional<Boolean> isOpen(Connection conn) throws SQLException {
            return conn.isWrapperFor(BaseConnection.class)
                    ? Optional.of(conn.unwrap(BaseConnection.class).getTransactionState() == TransactionState.OPEN)
                    : Optional.empty();
        }
    }
}
