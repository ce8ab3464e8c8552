package io.outbox.jdbc.tx;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.TransactionEnd;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Objects;

/** Begins transactions by hand, for applications without a transaction framework. Thread-safe. */
public final class JdbcTransactionManager {

    private static final System.Logger LOG = System.getLogger(JdbcTransactionManager.class.getName());

    private final ConnectionProvider connectionProvider;
    private final ThreadLocalTxContext txContext;

    public JdbcTransactionManager(ConnectionProvider connectionProvider, ThreadLocalTxContext txContext) {
        this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
    }

    /** Begins a transaction on a new connection and makes it the current one of this thread. */
    public Transaction begin() {
        if (txContext.isTransactionActive()) {
            throw new IllegalStateException("This thread is in a transaction already; end it before you begin another");
        }
        Connection connection = null;
        try {
            connection = Connections.open(connectionProvider);
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            txContext.bind(connection);
            return new Transaction(connection, autoCommit);
        } catch (SQLException e) {
            if (connection != null) {
                closeQuietly(connection);
            }
            throw new OutboxStoreException("Cannot begin a transaction: " + e.getMessage(), e);
        }
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Cannot close a connection", e);
        }
    }

    /**
     * A transaction of the thread that began it. Closing it without a commit rolls it back.
     *
     * <p>Roll back to a savepoint with {@link #rollbackTo}, and the whole with {@link #rollback}, not on the
     * connection.
     */
    public final class Transaction implements AutoCloseable {

        private final Connection connection;
        private final boolean autoCommit;
        private boolean ended;
        private boolean partlyRolledBack;

        private Transaction(Connection connection, boolean autoCommit) {
            this.connection = connection;
            this.autoCommit = autoCommit;
        }

        /** Returns the connection for business statements. Do not commit, roll back or close it. */
        public Connection connection() {
            return connection;
        }

        /**
         * Commits. If that fails, the outcome is unknown: events that were stored after all are left to the poller.
         *
         * @throws IllegalStateException if the transaction has ended
         */
        public void commit() {
            requireActive();
            boolean committed = false;
            try {
                txContext.committing();
                connection.commit();
                committed = true;
            } catch (SQLException e) {
                throw new OutboxStoreException("Commit failed: " + e.getMessage(), e);
            } finally {
                boolean whole = committed && !partlyRolledBack;
                end(committed, whole ? TransactionEnd.COMMITTED : TransactionEnd.UNKNOWN);
            }
        }

        /** Rolls back. Does nothing if the transaction has ended, so that a failed commit shows as what it was. */
        public void rollback() {
            if (ended) {
                return;
            }
            boolean rolledBack = false;
            try {
                connection.rollback();
                rolledBack = true;
            } catch (SQLException e) {
                throw new OutboxStoreException("Rollback failed: " + e.getMessage(), e);
            } finally {
                end(rolledBack, rolledBack ? TransactionEnd.ROLLED_BACK : TransactionEnd.UNKNOWN);
            }
        }

        /** Rolls back to a savepoint. Events of this transaction that survive are delivered by the poller. */
        public void rollbackTo(Savepoint savepoint) {
            requireActive();
            partlyRolledBack = true;
            try {
                connection.rollback(savepoint);
            } catch (SQLException e) {
                throw new OutboxStoreException("Rollback to savepoint failed: " + e.getMessage(), e);
            }
        }

        /** Rolls back, unless the transaction has ended. */
        @Override
        public void close() {
            rollback();
        }

        private void requireActive() {
            if (ended) {
                throw new IllegalStateException("The transaction has ended; begin a new one");
            }
        }

        /** Ends it; auto-commit, which would commit what is left open, is restored only if nothing is. */
        private void end(boolean clean, TransactionEnd end) {
            ended = true;
            if (clean) {
                restoreAutoCommit();
            }
            closeQuietly(connection);
            switch (end) {
                case COMMITTED -> txContext.committed();
                case ROLLED_BACK -> txContext.rolledBack();
                case UNKNOWN -> txContext.unknown();
            }
        }

        private void restoreAutoCommit() {
            try {
                connection.setAutoCommit(autoCommit);
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "Cannot restore auto-commit", e);
            }
        }
    }
}
