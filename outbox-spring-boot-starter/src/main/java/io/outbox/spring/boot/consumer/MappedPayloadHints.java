package io.outbox.spring.boot.consumer;

import java.util.Collection;
import java.util.Map;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/** Keeps the classes that {@code outbox.consumer.mappings} names, for the codec. */
final class MappedPayloadHints implements BeanFactoryInitializationAotProcessor {

    private static final Bindable<Map<String, Class<?>>> CLASSES = Bindable.of(ResolvableType.forClassWithGenerics(
            Map.class, ResolvableType.forClass(String.class), ResolvableType.forClass(Class.class)));

    @Override
    public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beans) {
        Collection<Class<?>> types = Binder.get(beans.getBean(Environment.class))
                .bind(ConsumerKeys.MAPPINGS, CLASSES)
                .orElse(Map.of())
                .values();
        if (types.isEmpty()) {
            return null;
        }
        return (context, code) -> new BindingReflectionHintsRegistrar()
                .registerReflectionHints(context.getRuntimeHints().reflection(), types.toArray(Class<?>[]::new));
    }
}
