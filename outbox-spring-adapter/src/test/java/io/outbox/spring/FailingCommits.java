package io.outbox.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A DataSource on whose connections the end of a transaction can fail, with the database as real as ever. */
final class FailingCommits extends DelegatingDataSource {

    private volatile Fault fault = Fault.NONE;

    /** What goes wrong. */
    enum Fault {
        NONE,
        /** The connection breaks before the commit, so the database rolls back. */
        COMMIT_LOST,
        /** The commit is made, and its answer does not come back. */
        COMMIT_ANSWER_LOST,
        /** The answer to a rollback does not come back. */
        ROLLBACK_ANSWER_LOST
    }

    FailingCommits(DataSource target) {
        super(target);
    }

    void fault(Fault fault) {
        this.fault = fault;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    boolean commit = method.getName().equals("commit");
                    if (commit && fault == Fault.COMMIT_LOST) {
                        connection.rollback();
                        throw new SQLException("connection lost", "08006");
                    }
                    try {
                        Object result = method.invoke(connection, arguments);
                        boolean rollback = method.getName().equals("rollback") && arguments == null;
                        if (commit && fault == Fault.COMMIT_ANSWER_LOST
                                || rollback && fault == Fault.ROLLBACK_ANSWER_LOST) {
                            throw new SQLException("answer lost", "08006");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
