package io.outbox.spring.boot.internal.jdbc;

import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxFactory;
import java.util.ArrayList;
import java.util.List;
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
        List<SpringTxContext> contexts = new ArrayList<>(outboxes.txContexts());
        contexts.addAll(beans.getBeansOfType(SpringTxContext.class).values());
        for (ConfigurableTransactionManager manager :
                beans.getBeansOfType(ConfigurableTransactionManager.class).values()) {
            for (SpringTxContext context : contexts) {
                if (!manager.getTransactionExecutionListeners().contains(context)) {
                    manager.addListener(context);
                }
            }
        }
    }
}
