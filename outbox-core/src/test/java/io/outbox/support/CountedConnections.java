package io.outbox.support;

import io.outbox.spi.ConnectionProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections without a database, which know whether they were closed. */
public final class CountedConnections implements ConnectionProvider {

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger rollbacks = new AtomicInteger();
    private volatile SQLException failure;

    @Override
    public Connection getConnection() throws SQLException {
        if (failure != null) {
            throw failure;
        }
        opened.incrementAndGet();
        open.incrementAndGet();
        AtomicBoolean closed = new AtomicBoolean();
        AtomicBoolean autoCommit = new AtomicBoolean(true);
        return proxy((proxy, method, args) -> switch (method.getName()) {
            case "getAutoCommit" -> autoCommit.get();
            case "setAutoCommit" -> {
                autoCommit.set((Boolean) args[0]);
                yield null;
            }
            case "commit" -> {
                commits.incrementAndGet();
                yield null;
            }
            case "rollback" -> {
                rollbacks.incrementAndGet();
                yield null;
            }
            case "close" -> {
                if (closed.compareAndSet(false, true)) {
                    open.decrementAndGet();
                }
                yield null;
            }
            case "toString" -> "connection";
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    /** Makes every further request fail, until called with {@code null}. */
    public void failWith(SQLException failure) {
        this.failure = failure;
    }

    public int opened() {
        return opened.get();
    }

    /** Returns how many explicit transactions were committed. */
    public int commits() {
        return commits.get();
    }

    /** Returns how many explicit transactions were rolled back. */
    public int rollbacks() {
        return rollbacks.get();
    }

    public int open() {
        return open.get();
    }

    /** Returns a connection that supports nothing, to stand for that of a business transaction. */
    public static Connection inert() {
        return proxy((proxy, method, args) -> switch (method.getName()) {
            case "toString" -> "business connection";
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == args[0];
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    private static Connection proxy(InvocationHandler handler) {
        return (Connection) Proxy.newProxyInstance(
                CountedConnections.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
    }
}
