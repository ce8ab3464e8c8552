package io.outbox.jdbc.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;

/**
 * Gives up statements that operators wait for and that take too long, perhaps because somebody has locked the table:
 * each holds a connection of the application's pool meanwhile, and a browser asks again.
 */
final class QueryLimit {

    static final int SECONDS = 10;

    private QueryLimit() {}

    /** Returns the connection, with that limit on each of its statements. */
    static Connection on(Connection conn, AbstractJdbcOutboxStore store) {
        return (Connection) Proxy.newProxyInstance(
                QueryLimit.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    try {
                        Object result = method.invoke(conn, args);
                        if (result instanceof Statement statement) {
                            store.giveUpAfter(SECONDS, statement);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
