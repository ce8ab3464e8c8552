package io.outbox.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Executor;

/**
 * A transaction of the outbox's own on a connection in auto-commit mode. Auto-commit is restored only after a commit or
 * a rollback that succeeded, since turning it on commits what is open; otherwise the connection is cut off.
 */
public final class OwnTransaction {

    private static final Executor ON_THIS_THREAD = Runnable::run;

    private OwnTransaction() {}

    /** What is done in the transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    /**
     * Runs the work and commits; rolls back if it throws. Without a connection, as of a store that uses none, it only
     * runs it.
     */
    public static <T> T run(Connection conn, Work<T> work) throws SQLException {
        if (conn == null) {
            return work.run();
        }
        conn.setAutoCommit(false);
        T result;
        try {
            result = work.run();
            conn.commit();
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(conn, e);
            throw e;
        }
        conn.setAutoCommit(true);
        return result;
    }

    private static void rollBack(Connection conn, Throwable reason) {
        try {
            conn.rollback();
            conn.setAutoCommit(true);
        } catch (SQLException | RuntimeException | Error failure) {
            reason.addSuppressed(failure);
            cutOff(conn, reason);
        }
    }

    private static void cutOff(Connection conn, Throwable reason) {
        try {
            conn.abort(ON_THIS_THREAD);
        } catch (SQLException | RuntimeException | Error failure) {
            reason.addSuppressed(failure);
        }
    }
}
