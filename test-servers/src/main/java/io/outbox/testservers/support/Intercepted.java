package io.outbox.testservers.support;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import javax.sql.DataSource;

/** Stands between the library and a driver, to see, hold up or fail calls of connections and prepared statements. */
public final class Intercepted {

    private Intercepted() {}

    /** A call that is about to be made. */
    public record Call(Object target, Method method, Object[] args, String sql) {

        /** Returns the method's name, followed by its first argument if that is a flag. */
        public String name() {
            return args != null && args.length == 1 && args[0] instanceof Boolean flag
                    ? method.getName() + " " + flag
                    : method.getName();
        }

        /** Returns whether a statement is executed whose text contains this. */
        public boolean executes(String text) {
            return sql != null && method.getName().startsWith("execute") && sql.contains(text);
        }

        /** Makes the call. */
        public Object proceed() throws Throwable {
            try {
                return method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** Decides what becomes of a call. */
    @FunctionalInterface
    public interface Interceptor {
        Object intercept(Call call) throws Throwable;
    }

    /** Returns the data source with an interceptor before its connections and their prepared statements. */
    public static DataSource dataSource(DataSource dataSource, Interceptor interceptor) {
        return proxy(DataSource.class, (proxy, method, args) -> {
            Object result = new Call(dataSource, method, args, null).proceed();
            return result instanceof Connection conn ? connection(conn, interceptor) : result;
        });
    }

    /** Returns the connection with an interceptor before it and its prepared statements. */
    public static Connection connection(Connection conn, Interceptor interceptor) {
        return proxy(Connection.class, (proxy, method, args) -> {
            Object result = interceptor.intercept(new Call(conn, method, args, null));
            return result instanceof PreparedStatement statement
                    ? statement(statement, (String) args[0], interceptor)
                    : result;
        });
    }

    private static PreparedStatement statement(PreparedStatement statement, String sql, Interceptor interceptor) {
        return proxy(
                PreparedStatement.class,
                (proxy, method, args) -> interceptor.intercept(new Call(statement, method, args, sql)));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
