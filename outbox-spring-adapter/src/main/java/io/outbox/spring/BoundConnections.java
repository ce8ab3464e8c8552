package io.outbox.spring;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The JDBC connections that Spring has bound to the calling thread, by DataSource. */
final class BoundConnections {

    private BoundConnections() {}

    /** Returns the DataSource behind Spring's proxies, so that two of them can be compared. */
    static DataSource unwrap(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            target = proxy.getTargetDataSource();
        }
        return target;
    }

    /**
     * Returns the DataSource without proxies that take part in transactions. Others stay: they may set credentials, for
     * example.
     */
    static DataSource unaware(DataSource dataSource) {
        DataSource unaware = dataSource;
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            target = proxy.getTargetDataSource();
            if (proxy instanceof TransactionAwareDataSourceProxy) {
                unaware = target;
            }
        }
        return unaware;
    }

    /** Returns the connection bound for the (unwrapped) DataSource, or {@code null}. */
    static @Nullable ConnectionHolder holderFor(DataSource dataSource) {
        for (Map.Entry<Object, Object> resource :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (isFor(resource, dataSource)) {
                return (ConnectionHolder) resource.getValue();
            }
        }
        return null;
    }

    /**
     * Returns whether the connection seems to be in a transaction. Connections in auto-commit mode are bound as well,
     * by plain data access in the transaction of another DataSource; a JPA transaction manager's are not marked as
     * synchronized.
     */
    static boolean isTransactional(ConnectionHolder holder) {
        try {
            return !holder.isSynchronizedWithTransaction()
                    || !holder.getConnection().getAutoCommit();
        } catch (SQLException e) {
            return false;
        }
    }

    /** Returns whether a connection of another DataSource seems to be in a transaction. */
    static boolean hasOtherTransactions(DataSource dataSource) {
        return others(dataSource).map(Map.Entry::getValue).anyMatch(value -> isTransactional((ConnectionHolder) value));
    }

    /** Names what is bound apart from the DataSource. */
    static String describeOthers(DataSource dataSource) {
        List<String> names = others(dataSource)
                .map(resource -> describe(unwrap((DataSource) resource.getKey())))
                .toList();
        return names.isEmpty() ? "no JDBC connection" : "a connection of " + String.join(", ", names);
    }

    private static Stream<Map.Entry<Object, Object>> others(DataSource dataSource) {
        return TransactionSynchronizationManager.getResourceMap().entrySet().stream()
                .filter(resource -> resource.getKey() instanceof DataSource)
                .filter(resource -> resource.getValue() instanceof ConnectionHolder)
                .filter(resource -> !isFor(resource, dataSource));
    }

    private static boolean isFor(Map.Entry<Object, Object> resource, DataSource dataSource) {
        return resource.getKey() instanceof DataSource key
                && resource.getValue() instanceof ConnectionHolder
                && unwrap(key) == dataSource;
    }

    /** Names the DataSource, without the URL that some put into their text: it may hold credentials. */
    static String describe(DataSource dataSource) {
        String text = String.valueOf(dataSource);
        return text.contains("jdbc:")
                ? "DataSource " + dataSource.getClass().getName() + "@"
                        + Integer.toHexString(System.identityHashCode(dataSource))
                : "DataSource " + text;
    }
}
