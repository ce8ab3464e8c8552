package io.outbox.spring;

import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Connections of a {@link DataSource} that are not those of a Spring transaction, even if the DataSource is a
 * {@code TransactionAwareDataSourceProxy}: what the outbox does on its own must not become part of the application's
 * transaction, nor end it. Thread-safe.
 */
public final class SpringConnectionProvider implements ConnectionProvider {

    private final DataSource dataSource;

    /** Takes connections from the DataSource, or from what a transaction-aware proxy stands for. */
    public SpringConnectionProvider(DataSource dataSource) {
        this.dataSource = BoundConnections.unaware(Objects.requireNonNull(dataSource, "dataSource"));
    }

    @Override
    public Connection getConnection() throws SQLException {
        return dataSource.getConnection();
    }
}
