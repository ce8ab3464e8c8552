package io.outbox.jta;

import io.outbox.spi.ConnectionProvider;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections that are not part of a Jakarta transaction, even if the calling thread is in one: what the outbox does on
 * its own must not become part of the application's transaction. That is suspended until the connection is closed,
 * because pools look for a transaction whenever a connection is used. Thread-safe.
 */
public final class JtaConnectionProvider implements ConnectionProvider {

    private final TransactionManager transactions;
    private final DataSource dataSource;

    public JtaConnectionProvider(TransactionManager transactions, DataSource dataSource) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    @Override
    public Connection getConnection() throws SQLException {
        Transaction suspended = suspend();
        if (suspended == null) {
            return dataSource.getConnection();
        }
        try {
            return resumingWhenClosed(dataSource.getConnection(), suspended);
        } catch (SQLException | RuntimeException e) {
            resume(suspended);
            throw e;
        }
    }

    private @Nullable Transaction suspend() throws SQLException {
        try {
            return transactions.getTransaction() == null ? null : transactions.suspend();
        } catch (SystemException e) {
            throw new SQLException("Cannot suspend the Jakarta transaction", e);
        }
    }

    private Connection resumingWhenClosed(Connection connection, Transaction suspended) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    boolean closes = method.getName().equals("close") && !connection.isClosed();
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (closes) {
                            resume(suspended);
                        }
                    }
                });
    }

    private void resume(Transaction suspended) throws SQLException {
        try {
            transactions.resume(suspended);
        } catch (InvalidTransactionException | SystemException e) {
            throw new SQLException("Cannot resume the Jakarta transaction", e);
        }
    }
}
