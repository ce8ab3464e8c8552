package io.outbox.spring.boot.publishing;

import io.outbox.spring.boot.Outboxed;
import io.outbox.spring.boot.internal.texts.OutboxedClasses;
import java.util.Set;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Keeps the classes of the application that have {@link Outboxed}, or inherit it, for its expressions and for the
 * codec.
 */
final class OutboxedHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> types = OutboxedClasses.in(beans);
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
}
