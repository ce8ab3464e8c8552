package io.outbox.spring.boot.consumer.brokers;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;

/** Puts a registry of listeners of ours in the place of Spring's, unless the application has one of its own there. */
final class RegistryReplacement implements BeanDefinitionRegistryPostProcessor {

    private final String beanName;
    private final Class<?> original;
    private final Class<?> replacement;

    /**
     * Creates it.
     *
     * @param replacement a subclass, with one constructor
     */
    public <T> RegistryReplacement(String beanName, Class<T> original, Class<? extends T> replacement) {
        this.beanName = beanName;
        this.original = original;
        this.replacement = replacement;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (!registry.containsBeanDefinition(beanName)) {
            return;
        }
        BeanDefinition definition = registry.getBeanDefinition(beanName);
        if (original.getName().equals(definition.getBeanClassName())
                && definition.getFactoryMethodName() == null
                && definition instanceof AbstractBeanDefinition changeable) {
            changeable.setBeanClass(replacement);
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {}
}
