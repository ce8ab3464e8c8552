package io.outbox.inbox;

import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.spi.TxContext;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Transactions that are begun by hand. */
record JdbcInboxTransactions(JdbcTransactionManager transactions, TxContext context) implements InboxTransactions {

    @Override
    public <R extends @Nullable Object> R run(Callable<R> work) throws Exception {
        if (context.isTransactionActive()) {
            return work.call();
        }
        try (Transaction tx = transactions.begin()) {
            R result = work.call();
            tx.commit();
            return result;
        }
    }
}
