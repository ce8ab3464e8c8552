package io.outbox.spring.boot.internal.listeners;

import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxKeys;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.Set;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Refuses listeners where a publisher that is turned off has turned delivery off with it, which few will have meant. */
final class ListenersInVain implements SmartInitializingSingleton {

    private final OutboxPublisherProperties publisher;
    private final ExplicitSettings explicit;
    private final ListenerCatalog catalog;

    ListenersInVain(OutboxPublisherProperties publisher, ExplicitSettings explicit, ListenerCatalog catalog) {
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
    }
}
