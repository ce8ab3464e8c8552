package io.outbox.spi;

import java.sql.Connection;
import java.util.function.Consumer;

/** The business transaction of the calling thread, as the writer sees it. */
public interface TxContext {

    /** Returns whether the calling thread is in a transaction. */
    boolean isTransactionActive();

    /** Says why {@link #isTransactionActive()} is false, for the exception that the writer throws. */
    default String noTransactionReason() {
        return "No active transaction: an event must be written in the transaction that changes the business data."
                + " Begin one on this thread before calling write()";
    }

    /** Returns the connection that the business operations of this transaction use. Never closed by the outbox. */
    Connection currentConnection();

    /** Runs the callback on this thread after the transaction has committed, outside of it. */
    void afterCommit(Runnable callback);

    /** Runs the callback on this thread after the transaction has rolled back, or if its outcome is unknown. */
    void afterRollback(Runnable callback);

    /**
     * Calls back on this thread after the transaction has ended, outside of it, and tells how. A context that cannot tell
     * a rollback from an unknown end, as this default, says that the end is unknown.
     */
    default void afterCompletion(Consumer<TransactionEnd> callback) {
        afterCommit(() -> callback.accept(TransactionEnd.COMMITTED));
        afterRollback(() -> callback.accept(TransactionEnd.UNKNOWN));
    }
}
