package io.outbox.jdbc.explain;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Stands before a data source and records the prepared statements that go through it. For one thread. */
final class StatementRecorder {

    private final List<RecordedStatement> recorded = new ArrayList<>();

    /** Returns the data source with the recorder before it. */
    DataSource before(DataSource dataSource) {
        return proxy(DataSource.class, (proxy, method, args) -> {
            Object result = invoke(dataSource, method, args);
            return result instanceof Connection conn ? recording(conn) : result;
        });
    }

    private Connection recording(Connection conn) {
        return proxy(Connection.class, (proxy, method, args) -> {
            Object result = invoke(conn, method, args);
            return result instanceof PreparedStatement statement ? recording(statement, (String) args[0]) : result;
        });
    }

    private PreparedStatement recording(PreparedStatement statement, String sql) {
        List<RecordedStatement.Binding> bindings = new ArrayList<>();
        return proxy(PreparedStatement.class, (proxy, method, args) -> {
            if (method.getName().startsWith("set") && args.length >= 2 && args[0] instanceof Integer) {
                bindings.add(new RecordedStatement.Binding(method, args.clone()));
            } else if (method.getName().startsWith("execute")
                    || method.getName().equals("addBatch")) {
                recorded.add(new RecordedStatement(sql, bindings));
            }
            return invoke(statement, method, args);
        });
    }

    /** Returns the statements on a table since the last call, those of a batch one by one. */
    List<RecordedStatement> take(String tableName) {
        List<RecordedStatement> taken = recorded.stream()
                .filter(statement -> statement.sql().contains(tableName))
                .toList();
        recorded.clear();
        return taken;
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
