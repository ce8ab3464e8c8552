package io.outbox.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds connections that take part in the application's transaction because their DataSource is a {@code
 * TransactionAwareDataSourceProxy} of Spring, also behind other proxies of Spring. They are known by name, since the
 * outbox does not need Spring.
 */
final class JoinedConnections {

    private static final String JOINING = "TransactionAwareDataSourceProxy";
    private static final String PROXY_OF_SPRING = "org.springframework.jdbc.datasource.ConnectionProxy";

    private static final String TRANSACTIONS_OF_SPRING =
            "org.springframework.transaction.support.TransactionSynchronizationManager";

    private JoinedConnections() {}

    /** Returns whether such a transaction is open on the connection, so that a commit of ours would end it. */
    static boolean isJoined(Connection conn) throws SQLException {
        @Nullable Connection current = conn;
        while (current != null && Proxy.isProxyClass(current.getClass())) {
            Class<?> handler = Proxy.getInvocationHandler(current).getClass();
            if (handler.getName().contains(JOINING)) {
                return !current.getAutoCommit() && isAnythingBound(handler);
            }
            current = target(current);
        }
        return false;
    }

    /**
     * Returns whether the thread may be in a transaction of Spring; if not, the pool gives connections in that mode.
     */
    private static boolean isAnythingBound(Class<?> handler) {
        try {
            Class<?> transactions = Class.forName(TRANSACTIONS_OF_SPRING, false, handler.getClassLoader());
            return !(transactions.getMethod("getResourceMap").invoke(null) instanceof Map<?, ?> bound)
                    || !bound.isEmpty();
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Returns the connection that a proxy of Spring stands for, or {@code null}. */
    private static @Nullable Connection target(Connection proxy) throws SQLException {
        for (Class<?> type : proxy.getClass().getInterfaces()) {
            if (type.getName().equals(PROXY_OF_SPRING)) {
                return target(proxy, type);
            }
        }
        return null;
    }

    private static @Nullable Connection target(Connection proxy, Class<?> type) throws SQLException {
        try {
            Method target = type.getMethod("getTargetConnection");
            return (Connection) target.invoke(proxy);
        } catch (InvocationTargetException e) {
            throw new SQLException("The connection behind a proxy cannot be opened", e.getCause());
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
