package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Refuses idempotent listeners where the application has a registry of its own, in which they would not be idempotent.
 */
final class RegistryCheck implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final String registryName;
    private final Class<?> registry;
    private final Class<? extends Annotation> listener;

    /**
     * Creates the check.
     *
     * @param registry the class of the registry that makes listeners idempotent
     * @param listener the annotation of listeners
     */
    RegistryCheck(
            ListableBeanFactory beans, String registryName, Class<?> registry, Class<? extends Annotation> listener) {
        this.beans = beans;
        this.registryName = registryName;
        this.registry = registry;
        this.listener = listener;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!beans.containsBean(registryName) || registry.isInstance(beans.getBean(registryName))) {
            return;
        }
        List<String> wanting = Stream.of(beans.getBeanDefinitionNames())
                .filter(name -> isIdempotentListener(beans.getType(name, false)))
                .toList();
        if (!wanting.isEmpty()) {
            throw new OutboxStartupException(
                    "The beans " + wanting
                            + " have listeners with @Idempotent, but the application has its own registry of"
                            + " listeners, " + beans.getType(registryName) + ", in which they would not be idempotent",
                    "Remove the registry, or remove @Idempotent and call OutboxIdempotentConsumer.consume(…) in the listeners");
        }
    }

    private boolean isIdempotentListener(Class<?> beanType) {
        if (beanType == null) {
            return false;
        }
        Class<?> type = ClassUtils.getUserClass(beanType);
        boolean onType = AnnotatedElementUtils.hasAnnotation(type, Idempotent.class);
        return (onType && AnnotatedElementUtils.hasAnnotation(type, listener))
                || Stream.of(ReflectionUtils.getAllDeclaredMethods(type))
                        .anyMatch(method -> isListener(method)
                                && (onType || AnnotatedElementUtils.hasAnnotation(method, Idempotent.class)));
    }

    private boolean isListener(Method method) {
        return !AnnotatedElementUtils.getMergedRepeatableAnnotations(method, listener)
                .isEmpty();
    }
}
