package io.outbox.jta;

import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.TransactionEnd;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** One transaction as a {@link JtaTxContext} sees it: its connection, and what is due at its end. */
final class JtaScope implements Synchronization {

    private static final System.Logger LOG = System.getLogger(JtaScope.class.getName());

    private final List<Runnable> beforeCommit = new ArrayList<>();
    private final List<Consumer<TransactionEnd>> callbacks = new ArrayList<>();
    private Connection connection;
    private boolean committing;

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

    synchronized void beforeCommit(Runnable work) {
        beforeCommit.add(work);
    }

    synchronized void afterCompletion(Consumer<TransactionEnd> callback) {
        callbacks.add(callback);
    }

    /** Called before a commit only. */
    @Override
    public synchronized void beforeCompletion() {
        committing = true;
        beforeCommit.forEach(JtaScope::runSafely);
        beforeCommit.clear();
        close();
    }

    @Override
    public void afterCompletion(int status) {
        for (Consumer<TransactionEnd> callback : endedWith()) {
            runSafely(() -> callback.accept(end(status)));
        }
    }

    private synchronized List<Consumer<TransactionEnd>> endedWith() {
        close();
        List<Consumer<TransactionEnd>> due = List.copyOf(callbacks);
        callbacks.clear();
        return due;
    }

    private synchronized TransactionEnd end(int status) {
        if (status == Status.STATUS_COMMITTED) {
            return beforeCommit.isEmpty() ? TransactionEnd.COMMITTED : TransactionEnd.UNKNOWN;
        }
        return status == Status.STATUS_ROLLEDBACK && !committing ? TransactionEnd.ROLLED_BACK : TransactionEnd.UNKNOWN;
    }

    private void close() {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "Cannot close a connection", e);
            }
            connection = null;
        }
    }

    private static void runSafely(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "A transaction callback failed; the transaction is not affected", e);
        }
    }
}
