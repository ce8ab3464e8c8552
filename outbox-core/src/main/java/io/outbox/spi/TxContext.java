package io.outbox.spi;

import java.sql.Connection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The business transaction of the calling thread, as the writer sees it. */
public interface TxContext {

    /** Returns whether the calling thread is in a transaction. */
    boolean isTransactionActive();

    /** Explains why {@link #isTransactionActive()} is false, for the exception that the writer throws. */
    default String noTransactionReason() {
        return "No active transaction: an event must be written in the transaction that changes the business data."
                + " Begin one on this thread before calling write()";
    }

    /** Returns the connection that the business operations of this transaction use. Never closed by the outbox. */
    Connection currentConnection();

    /**
     * Returns the connection of the transaction that the calling thread is in, also if no event can be written there,
     * for example because it is read-only; {@code null} without a transaction. The outbox never uses it for its own
     * work, since that would commit the transaction. This default returns the current connection while a transaction is
     * active.
     */
    default @Nullable Connection boundConnection() {
        return isTransactionActive() ? currentConnection() : null;
    }

    /**
     * Registers work for the moment right before the commit, on this thread and inside the transaction, and returns
     * whether it will be done then. Nothing that the work throws may stop the commit or other work.
     *
     * <p>The outbox looks for its rows there, since MySQL, MariaDB and H2 roll back the whole transaction after a
     * deadlock, and an application that catches the failure can still commit. This default returns {@code false}: the
     * outbox then relies on what {@link #afterCompletion} reports, so such a context must not report a commit after a
     * deadlock, nor after a savepoint was undone.
     */
    default boolean beforeCommit(Runnable work) {
        return false;
    }

    /** Runs the callback on this thread after the transaction has committed, outside of it. */
    void afterCommit(Runnable callback);

    /** Runs the callback on this thread after the transaction has rolled back, or if its outcome is unknown. */
    void afterRollback(Runnable callback);

    /**
     * Calls back on this thread after the transaction has ended, outside of it, with the way it ended. A context that
     * cannot tell a rollback from an unknown end, as this default, says that the end is unknown.
     */
    default void afterCompletion(Consumer<TransactionEnd> callback) {
        afterCommit(() -> callback.accept(TransactionEnd.COMMITTED));
        afterRollback(() -> callback.accept(TransactionEnd.UNKNOWN));
    }
}
