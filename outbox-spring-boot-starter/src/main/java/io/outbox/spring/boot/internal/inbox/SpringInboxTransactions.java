package io.outbox.spring.boot.internal.inbox;

import io.outbox.inbox.InboxTransactions;
import io.outbox.spi.TxContext;
import java.util.concurrent.Callable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring's transactions, with propagation REQUIRED: what fails in the transaction of a caller marks it for rollback, as with
 * {@code @Transactional}.
 */
public final class SpringInboxTransactions implements InboxTransactions {

    private final TxContext context;
    private final TransactionTemplate template;

    public SpringInboxTransactions(TxContext context, PlatformTransactionManager manager) {
        this.context = context;
        this.template = new TransactionTemplate(manager);
        template.setName("outbox.consumer");
    }

    /** Carries a checked exception through the template, which rolls back for unchecked ones. */
    private static final class Checked extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Checked(Exception cause) {
            super(null, cause, false, false);
        }

        @Override
        public synchronized Exception getCause() {
            return (Exception) super.getCause();
        }
    }

    @Override
    public TxContext context() {
        return context;
    }

    @Override
    public <R> R run(Callable<R> work) throws Exception {
        try {
            return template.execute(transaction -> call(work));
        } catch (Checked e) {
            throw e.getCause();
        }
    }

    private static <R> R call(Callable<R> work) {
        try {
            return work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new Checked(e);
        }
    }
}
