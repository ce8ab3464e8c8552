package io.outbox.spring.boot.internal.delivery;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.spring.boot.OutboxListener;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/** What a native image has to keep: the table's DDL, and the types that {@link OutboxListener} names by class. */
public final class OutboxRuntimeHints implements RuntimeHintsRegistrar, BeanRegistrationAotProcessor {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources().registerPattern("schema/*.sql");
    }

    @Override
    public BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        OutboxListener listener =
                bean.getBeanFactory().findAnnotationOnBean(bean.getBeanName(), OutboxListener.class, false);
        if (listener == null) {
            return null;
        }
        return (context, code) -> {
            keep(context.getRuntimeHints(), listener.eventTypeClass(), EventType.class);
            keep(context.getRuntimeHints(), listener.aggregateTypeClass(), AggregateType.class);
        };
    }

    private static void keep(RuntimeHints hints, Class<?> type, Class<?> none) {
        if (type != none) {
            hints.reflection()
                    .registerType(
                            type, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.INVOKE_DECLARED_METHODS);
        }
    }
}
