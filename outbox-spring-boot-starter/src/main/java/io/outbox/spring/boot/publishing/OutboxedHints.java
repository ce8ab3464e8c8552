package io.outbox.spring.boot.publishing;

import io.outbox.spring.boot.Outboxed;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Keeps the classes of the application that have {@link Outboxed}, or inherit it, for its expressions and for the codec. */
final class OutboxedHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> types = outboxed(beans);
        if (types.isEmpty()) {
            return null;
        }
        return (context, code) ->
                types.forEach(type -> keep(context.getRuntimeHints().reflection(), type));
    }

    private static void keep(ReflectionHints hints, Class<?> type) {
        hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints, type);
    }

    private static Set<Class<?>> outboxed(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> types = new LinkedHashSet<>();
        if (AutoConfigurationPackages.has(beans)) {
            ClassPathScanningCandidateComponentProvider scanner =
                    new ClassPathScanningCandidateComponentProvider(false);
            scanner.addIncludeFilter(new AnnotationTypeFilter(Outboxed.class, true, true));
            for (String root : AutoConfigurationPackages.get(beans)) {
                for (BeanDefinition found : scanner.findCandidateComponents(root)) {
                    types.add(ClassUtils.resolveClassName(found.getBeanClassName(), beans.getBeanClassLoader()));
                }
            }
        }
        return types;
    }
}
