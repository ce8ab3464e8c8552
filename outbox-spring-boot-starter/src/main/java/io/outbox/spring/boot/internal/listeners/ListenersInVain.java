package io.outbox.spring.boot.internal.listeners;

import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.failures.SeveralDataSources;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxKeys;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.Set;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Refuses listeners that nobody would call: because there is no DataSource and so no outbox, or because a publisher
 * that is turned off has turned delivery off with it, which few will have meant.
 */
final class ListenersInVain implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final OutboxPublisherProperties publisher;
    private final ExplicitSettings explicit;
    private final ListenerCatalog catalog;

    ListenersInVain(
            ListableBeanFactory beans,
            OutboxPublisherProperties publisher,
            ExplicitSettings explicit,
            ListenerCatalog catalog) {
        this.beans = beans;
        this.publisher = publisher;
        this.explicit = explicit;
        this.catalog = catalog;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> listeners = catalog.descriptions();
        if (!publisher.enabled() && !explicit.has(OutboxKeys.MODE) && !listeners.isEmpty()) {
            throw new OutboxStartupException(
                    "With " + PublisherKeys.of("enabled") + "=false this instance only writes events, so the outbox"
                            + " listeners " + listeners + " would never be called",
                    "Set " + OutboxKeys.MODE + " if it is to deliver to listeners");
        }
        if (!listeners.isEmpty()
                && SeveralDataSources.of(beans).candidates().isEmpty()
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Outbox.class, true, false).length == 0) {
            throw new OutboxStartupException(
                    "There is no DataSource for the outbox, so the outbox listeners " + listeners
                            + " would never be called",
                    "Add the driver of your database and set spring.datasource.url, or define a bean of type DataSource or"
                            + " OutboxBackend. With R2DBC, the outbox also needs a JDBC DataSource. If this application"
                            + " is to have no outbox, set outbox.enabled=false");
        }
    }
}
