package io.outbox.inbox;

import io.outbox.spi.TxContext;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The transactions in which events are consumed: of the database that has the marks and the effects. Thread-safe.
 *
 * <p>For an application with a transaction framework. {@link JdbcInbox} has its own for one without.
 */
public interface InboxTransactions {

    /** Returns the context of the transaction of the calling thread. */
    TxContext context();

    /**
     * Runs the work in the transaction of the calling thread; without one, in a new one, which is committed if the work
     * returns, and rolled back if it throws. While the work runs, {@link #context()} has the transaction. What the work
     * throws comes out as it was.
     */
    <R extends @Nullable Object> R run(Callable<R> work) throws Exception;
}
