package io.outbox.jdbc.tx;

import io.outbox.spi.TransactionCallbacks;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The {@link TxContext} of transactions that code manages by hand, one per thread.
 *
 * <p>{@link JdbcTransactionManager} drives it. Code with a transaction management of its own may drive it too: call
 * {@link #bind} after the transaction began, {@link #committing} right before the commit, and {@link #committed},
 * {@link #rolledBack} or {@link #unknown} right after the transaction ended. Callbacks run then, on the same thread, in
 * the order in which they were registered; nothing they throw comes out.
 */
public final class ThreadLocalTxContext implements TxContext {

    private final ThreadLocal<Bound> current = new ThreadLocal<>();

    private record Bound(Connection connection, TransactionCallbacks callbacks) {}

    /** Makes the connection's transaction the current one of this thread. */
    public void bind(Connection connection) {
        Objects.requireNonNull(connection, "connection");
        if (current.get() != null) {
            throw new IllegalStateException(
                    "This thread is in a transaction already; end it before you begin another on the same context");
        }
        current.set(new Bound(connection, new TransactionCallbacks()));
    }

    /**
     * Prepares the commit of the current transaction, on its connection. Code that commits without this call must see
     * to it that nothing of the transaction was rolled back before: the events of that part would be delivered all the
     * same.
     */
    public void committing() {
        TransactionCallbacks callbacks = bound().callbacks;
        callbacks.commitBegins();
        callbacks.runBeforeCommit();
    }

    /** Ends the current transaction after a successful commit of all that was written in it. */
    public void committed() {
        end(TransactionEnd.COMMITTED);
    }

    /** Ends the current transaction after a successful rollback of all that was written in it. */
    public void rolledBack() {
        end(TransactionEnd.ROLLED_BACK);
    }

    /**
     * Ends the current transaction if nobody knows what is left of it: the commit or the rollback failed, or a part had
     * been rolled back before the commit. Counts as a rollback for {@link #afterRollback}.
     */
    public void unknown() {
        end(TransactionEnd.UNKNOWN);
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
    public boolean beforeCommit(Runnable work) {
        return bound().callbacks.beforeCommit(work);
    }

    @Override
    public void afterCommit(Runnable callback) {
        bound().callbacks.afterCommit(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        bound().callbacks.afterRollback(callback);
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        bound().callbacks.afterCompletion(callback);
    }

    private Bound bound() {
        Bound bound = current.get();
        if (bound == null) {
            throw new IllegalStateException("No active transaction on this thread: begin one first");
        }
        return bound;
    }

    /** Unbinds before callbacks run, so that they are outside of the transaction and may begin a new one. */
    private void end(TransactionEnd end) {
        Bound bound = bound();
        current.remove();
        bound.callbacks.ended(end);
    }
}
