package io.outbox.spi;

import java.sql.Connection;

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
}
