package io.outbox.jdbc.internal;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.ConnectionProvider;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

/**
 * Finds out whether PostgreSQL's driver finds its prepared statements again.
 *
 * <p>A pooler in transaction mode leads each transaction to another session of the server, where a statement that the
 * driver has prepared does not exist, or another client's has its name. That shows under load only, as errors and reads
 * that hang. So it is provoked at start-up: one connection prepares a statement, a second one takes the session away
 * from it, and the first executes the statement again. Poolers that prepare it anew pass, and so does a driver that
 * prepares nothing.
 *
 * <p>A pooler is known by the session's id, which is not the one that the driver was told. Without one this costs a
 * single query.
 */
public final class PoolerProbe {

    private static final System.Logger LOG = System.getLogger(PoolerProbe.class.getName());
    private static final String SESSION = "SELECT pg_backend_pid()";
    /** The statement does not exist, or its name is taken. */
    private static final Set<String> LOST = Set.of("26000", "42P05");

    private static final int ROUNDS = 5;
    private static final int TIMEOUT_MS = 5_000;

    private PoolerProbe() {}

    /** @throws OutboxStoreException if prepared statements get lost, with what to set */
    public static void run(ConnectionProvider connections) {
        if (!FreshPlan.DRIVER_PRESENT) {
            return;
        }
        try (Connection conn = Connections.open(connections)) {
            if (conn.isWrapperFor(PGConnection.class) && Driver.isAtRisk(conn)) {
                probe(conn, connections);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Cannot determine whether prepared statements survive", e);
        }
    }

    private static void probe(Connection conn, ConnectionProvider connections) throws SQLException {
        Connection rival = open(connections);
        if (rival == null) {
            LOG.log(Level.DEBUG, "The check whether prepared statements survive needs two connections");
            return;
        }
        try (rival) {
            boolean autoCommit = conn.getAutoCommit();
            boolean autoCommitOfRival = rival.getAutoCommit();
            int timeout = conn.getNetworkTimeout();
            int timeoutOfRival = rival.getNetworkTimeout();
            try {
                conn.setNetworkTimeout(Runnable::run, TIMEOUT_MS);
                rival.setNetworkTimeout(Runnable::run, TIMEOUT_MS);
                conn.setAutoCommit(true);
                rival.setAutoCommit(false);
                Driver.executeAgain(conn, rival);
            } catch (SQLException e) {
                conn.abort(Runnable::run);
                rival.abort(Runnable::run);
                throw e;
            }
            rival.setAutoCommit(autoCommitOfRival);
            conn.setAutoCommit(autoCommit);
            rival.setNetworkTimeout(Runnable::run, timeoutOfRival);
            conn.setNetworkTimeout(Runnable::run, timeout);
        } catch (SQLException e) {
            if (LOST.contains(String.valueOf(e.getSQLState()))) {
                throw new OutboxStoreException(
                        "The connections go through a pooler in transaction mode, where the driver does not find its prepared"
                                + " statements again. Add prepareThreshold=0 to the JDBC URL, or set max_prepared_statements"
                                + " above 0 in PgBouncer 1.21 or later, or connect to the database directly",
                        e);
            }
            throw e;
        }
    }

    /** Returns a second connection, or {@code null} if the pool has none to spare. */
    private static Connection open(ConnectionProvider connections) {
        CompletableFuture<Connection> second = new CompletableFuture<>();
        Thread opener = new Thread(
                () -> {
                    try {
                        Connection conn = connections.getConnection();
                        if (!second.complete(conn)) {
                            conn.close();
                        }
                    } catch (SQLException | RuntimeException e) {
                        second.completeExceptionally(e);
                    }
                },
                "outbox-pooler-probe");
        opener.setDaemon(true);
        opener.start();
        try {
            return second.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Level.DEBUG, "No second connection", e);
        }
        return second.cancel(false) || second.isCompletedExceptionally() ? null : second.join();
    }

    private static int session(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Loaded only where the driver is present. */
    private static final class Driver {

        /** Returns whether the driver prepares statements and a pooler stands between it and the server. */
        static boolean isAtRisk(Connection conn) throws SQLException {
            PGConnection driver = conn.unwrap(PGConnection.class);
            if (driver.getPrepareThreshold() == 0) {
                return false;
            }
            try (PreparedStatement query = conn.prepareStatement(SESSION)) {
                FreshPlan.request(query);
                int session = session(query);
                if (!conn.getAutoCommit()) {
                    conn.rollback();
                }
                return session != driver.getBackendPID();
            }
        }

        /** Executes a prepared statement, each time after the other connection has held a session for a transaction. */
        static void executeAgain(Connection conn, Connection rival) throws SQLException {
            try (PreparedStatement prepared = conn.prepareStatement(SESSION + " AS prepared");
                    PreparedStatement held = rival.prepareStatement(SESSION)) {
                prepared.unwrap(PGStatement.class).setPrepareThreshold(1);
                FreshPlan.request(held);
                for (int round = 0; round < ROUNDS; round++) {
                    session(prepared);
                    session(held);
                    session(prepared);
                    rival.rollback();
                }
            }
        }
    }
}
