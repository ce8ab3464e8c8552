package io.outbox.spring.boot.internal.jdbc;

import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Adds every {@link SpringTxContext} to every transaction manager, so that each knows for certain which transaction a
 * thread is in.
 */
public final class TransactionListening implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final OutboxFactory outboxes;

    TransactionListening(ListableBeanFactory beans, OutboxFactory outboxes) {
        this.beans = beans;
        this.outboxes = outboxes;
    }

    @Override
    public void afterSingletonsInstantiated() {
        outboxes.txContexts().forEach(context -> listen(context, beans));
        beans.getBeansOfType(SpringTxContext.class).values().forEach(context -> listen(context, beans));
    }

    /** Adds one to every transaction manager. */
    public static void listen(SpringTxContext context, ListableBeanFactory beans) {
        for (ConfigurableTransactionManager manager :
                beans.getBeansOfType(ConfigurableTransactionManager.class).values()) {
            if (!manager.getTransactionExecutionListeners().contains(context)) {
                manager.addListener(context);
            }
        }
    }
}
