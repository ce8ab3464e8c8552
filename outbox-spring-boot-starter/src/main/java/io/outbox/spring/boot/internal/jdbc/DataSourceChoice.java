package io.outbox.spring.boot.internal.jdbc;

import io.outbox.Outbox;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.failures.SeveralDataSources;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Ends the start where several DataSources leave it open which one the outbox is in, and the application has no outbox
 * of its own: that there is none would be noticed too late.
 */
final class DataSourceChoice implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final OutboxFactory outboxes;

    DataSourceChoice(ListableBeanFactory beans, OutboxFactory outboxes) {
        this.beans = beans;
        this.outboxes = outboxes;
    }

    @Override
    public void afterSingletonsInstantiated() {
        SeveralDataSources dataSources = SeveralDataSources.of(beans);
        if (dataSources.areSeveral()
                && !has(OutboxBackend.class)
                && !has(Outbox.class)
                && outboxes.names().isEmpty()) {
            throw new OutboxStartupException(
                    "The outbox cannot be set up: " + dataSources.problem(), dataSources.remedy());
        }
    }

    private boolean has(Class<?> type) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
    }
}
