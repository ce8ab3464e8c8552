package io.outbox.spring.boot.modulith;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.modulith.events.core.EventPublicationRegistry;

/**
 * Lets an application start that has no event publication registry, because the outbox serves all of its events: Spring
 * Modulith would still watch one for stale publications.
 */
final class WithoutRegistry implements BeanFactoryPostProcessor {

    private static final String WATCH = "org.springframework.modulith.events.config.StalenessMonitorConfiguration";

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        boolean hasRegistry = beans.getBeanNamesForType(EventPublicationRegistry.class, true, false).length > 0;
        if (!hasRegistry
                && beans instanceof BeanDefinitionRegistry definitions
                && beans.containsBeanDefinition(WATCH)) {
            definitions.removeBeanDefinition(WATCH);
        }
    }
}
