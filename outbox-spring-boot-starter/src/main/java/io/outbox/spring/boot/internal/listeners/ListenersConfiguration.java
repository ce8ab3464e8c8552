package io.outbox.spring.boot.internal.listeners;

import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.OutboxListenerRegistrar;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Beans and methods of beans as listeners of the outbox. */
public class ListenersConfiguration {

    @Bean
    @ConditionalOnMissingBean(ListenerRegistry.class)
    DefaultListenerRegistry outboxListenerRegistry() {
        return new DefaultListenerRegistry();
    }

    @Bean
    ListenerCatalog outboxListenerCatalog(ConfigurableListableBeanFactory beans, OutboxProperties properties) {
        return new ListenerCatalog(beans, properties);
    }

    @Bean
    ListenerLanes outboxListenerLanes(ListenerCatalog catalog) {
        return new ListenerLanes(catalog);
    }

    /** In each of nested contexts, for the listeners of that context. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    OutboxListenerRegistrar outboxListenerRegistrar(
            ListableBeanFactory beans,
            ListenerRegistries registries,
            ListenerCatalog catalog,
            OutboxAssembler assembler,
            OutboxSettings settings) {
        return new ListenerRegistration(beans, registries, catalog, assembler, settings);
    }

    @Bean
    ListenersInVain outboxListenersInVain(
            ListableBeanFactory beans,
            OutboxPublisherProperties publisher,
            Environment environment,
            ListenerCatalog catalog) {
        return new ListenersInVain(beans, publisher, new ExplicitSettings(environment), catalog);
    }

    /** Mistakes show at start-up. */
    @Bean
    static LazyInitializationExcludeFilter outboxListenersAreNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(OutboxListenerRegistrar.class, ListenersInVain.class);
    }
}
