package io.outbox.jdbc.tx;

import io.outbox.spi.TxContext;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The {@link TxContext} of transactions that code manages by hand, one per thread.
 *
 * <p>{@link JdbcTransactionManager} drives it. Code with a transaction management of its own may drive it too: call
 * {@link #bind} after the transaction began, and {@link #committed} or {@link #rolledBack} right after it ended.
 */
public final class ThreadLocalTxContext implements TxContext {

    private static final System.Logger LOG = System.getLogger(ThreadLocalTxContext.class.getName());

    private final ThreadLocal<Bound> current = new ThreadLocal<>();

    private record Bound(Connection connection, List<Runnable> afterCommit, List<Runnable> afterRollback) {}

    /** Makes the connection's transaction the current one of this thread. */
    public void bind(Connection connection) {
        Objects.requireNonNull(connection, "connection");
        if (current.get() != null) {
            throw new IllegalStateException(
                    "This thread is in a transaction already; end it before you begin another on the same context");
        }
        current.set(new Bound(connection, new ArrayList<>(), new ArrayList<>()));
    }

    /** Ends the current transaction after a successful commit and runs its callbacks. Nothing they throw comes out. */
    public void committed() {
        run(unbind().afterCommit);
    }

    /** Ends the current transaction after a rollback, or with an unknown outcome, and runs its callbacks. */
    public void rolledBack() {
        run(unbind().afterRollback);
    }

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public Connection currentConnection() {
        return bound().connection;
    }

    @Override
    public void afterCommit(Runnable callback) {
        bound().afterCommit.add(Objects.requireNonNull(callback, "callback"));
    }

    @Override
    public void afterRollback(Runnable callback) {
        bound().afterRollback.add(Objects.requireNonNull(callback, "callback"));
    }

    private Bound bound() {
        Bound bound = current.get();
        if (bound == null) {
            throw new IllegalStateException("No active transaction on this thread: begin one first");
        }
        return bound;
    }

    /** Unbinds before callbacks run, so that they are outside of the transaction and may begin a new one. */
    private Bound unbind() {
        Bound bound = bound();
        current.remove();
        return bound;
    }

    private static void run(List<Runnable> callbacks) {
        for (Runnable callback : callbacks) {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "A transaction callback failed; the transaction is not affected", e);
            }
        }
    }
}
