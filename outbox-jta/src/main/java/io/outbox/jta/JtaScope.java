package io.outbox.jta;

import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.TransactionCallbacks;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One transaction as a {@link JtaTxContext} sees it: its connection, and what is due at its end. */
final class JtaScope implements Synchronization {

    private static final System.Logger LOG = System.getLogger("io.outbox.writing");

    private final TransactionCallbacks callbacks = new TransactionCallbacks();
    private @Nullable Connection connection;

    /** Returns the connection of this transaction, the same one each time. */
    synchronized Connection connection(DataSource dataSource) {
        if (connection == null) {
            try {
                connection = dataSource.getConnection();
            } catch (SQLException e) {
                throw new OutboxBackendException(
                        "Cannot get a connection in the Jakarta transaction: " + e.getMessage(), e);
            }
        }
        return connection;
    }

    /** Returns the connection if this transaction has one, or {@code null}. */
    synchronized @Nullable Connection openConnection() {
        return connection;
    }

    TransactionCallbacks callbacks() {
        return callbacks;
    }

    /** Called before a commit only. */
    @Override
    public void beforeCompletion() {
        callbacks.commitBegins();
        callbacks.runBeforeCommit();
        close();
    }

    @Override
    public void afterCompletion(int status) {
        close();
        callbacks.ended(callbacks.end(status == Status.STATUS_COMMITTED, status == Status.STATUS_ROLLEDBACK));
    }

    private synchronized void close() {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "Cannot close a connection", e);
            }
            connection = null;
        }
    }
}
