package io.outbox.spring.boot.consumer;

import io.outbox.inbox.InboxTransactions;
import io.outbox.spi.TxContext;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.util.concurrent.Callable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring's transactions, with propagation REQUIRED: what fails in the transaction of a caller marks it for rollback, as
 * with {@code @Transactional}.
 */
final class SpringInboxTransactions implements InboxTransactions {

    private final TxContext context;
    private final TransactionTemplate template;

    SpringInboxTransactions(TxContext context, PlatformTransactionManager manager) {
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

    /**
     * Checks, by an empty transaction, that the manager binds the connection of its transactions where events are
     * marked: one that does not, as that of JTA, would let every message fail.
     */
    void requireTheirConnection() {
        TransactionTemplate empty = new TransactionTemplate(template.getTransactionManager());
        empty.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        String obstacle =
                empty.execute(transaction -> context.isTransactionActive() ? null : context.noTransactionReason());
        if (obstacle != null) {
            throw new OutboxStartupException(
                    "The idempotent consumer cannot use the transactions of "
                            + template.getTransactionManager().getClass().getName() + ": " + obstacle,
                    "Define a transaction manager of JDBC or JPA for the DataSource; or define a bean of type JdbcInbox with"
                            + " your own InboxTransactions");
        }
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
