package io.outbox.jdbc.wakeup;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Bounds how long calls on a connection wait for an answer, so that one that has died without having been closed fails
 * in seconds, not when TCP gives up. A driver that cannot do that waits as it would.
 */
final class AnswerTimeout {

    private static final System.Logger LOG = System.getLogger(PostgresWakeUp.class.getName());
    private static final int LONGEST_MS = 5_000;

    private AnswerTimeout() {}

    /** What is done on the connection. */
    @FunctionalInterface
    interface Calls {
        void run() throws SQLException;
    }

    /** Makes the calls; afterwards the connection waits as long as before. */
    static void bound(Connection connection, Calls calls) throws SQLException {
        int before = shorten(connection);
        try {
            calls.run();
        } finally {
            if (before >= 0) {
                restore(connection, before);
            }
        }
    }

    /** Returns the timeout until now, or -1 if it stays. */
    private static int shorten(Connection connection) {
        try {
            int before = connection.getNetworkTimeout();
            if (before == 0 || before > LONGEST_MS) {
                connection.setNetworkTimeout(Runnable::run, LONGEST_MS);
                return before;
            }
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            LOG.log(Level.DEBUG, "The driver has no timeout for this connection", e);
        }
        return -1;
    }

    private static void restore(Connection connection, int millis) {
        try {
            connection.setNetworkTimeout(Runnable::run, millis);
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "The connection is closed", e);
        }
    }
}
