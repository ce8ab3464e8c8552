package io.outbox.spring.boot.internal.listeners;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.internal.texts.ApplicationClasses;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Keeps what listeners need in a native image: the types that {@link OutboxListener} names by class, and the methods
 * that have it, with the classes of their payloads.
 */
final class ListenerHints implements BeanRegistrationAotProcessor {

    private static final BindingReflectionHintsRegistrar BINDING = new BindingReflectionHintsRegistrar();

    @Override
    public BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        Map<Method, OutboxListener> listening =
                ListenerCatalog.methods(type, ApplicationClasses.of(bean.getBeanFactory()));
        List<OutboxListener> annotations = new ArrayList<>(listening.values());
        OutboxListener onBean =
                bean.getBeanFactory().findAnnotationOnBean(bean.getBeanName(), OutboxListener.class, false);
        if (onBean != null) {
            annotations.add(onBean);
        }
        if (annotations.isEmpty()) {
            return null;
        }
        return (context, code) -> {
            ReflectionHints hints = context.getRuntimeHints().reflection();
            annotations.forEach(annotation -> keepTypes(hints, annotation));
            listening.keySet().forEach(method -> keepListener(hints, type, method));
            listening.forEach((method, annotation) ->
                    keepFallback(hints, type, FallbackMethod.of(method, type, resolved(bean, annotation.fallback()))));
            annotations.forEach(annotation -> BINDING.registerReflectionHints(hints, annotation.payloads()));
        };
    }

    private static void keepTypes(ReflectionHints hints, OutboxListener listener) {
        keepType(hints, listener.eventTypeClass(), EventType.class);
        keepType(hints, listener.aggregateTypeClass(), AggregateType.class);
    }

    private static void keepType(ReflectionHints hints, Class<?> type, Class<?> none) {
        if (type != none) {
            hints.registerType(
                    type, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.INVOKE_DECLARED_METHODS);
        }
    }

    private static String resolved(RegisteredBean bean, String text) {
        return text.isEmpty() ? text : bean.getBeanFactory().resolveEmbeddedValue(text);
    }

    private static void keepFallback(ReflectionHints hints, Class<?> type, FallbackMethod fallback) {
        if (fallback != null) {
            hints.registerMethod(fallback.method(), ExecutableMode.INVOKE);
            BINDING.registerReflectionHints(hints, ListenerMethod.parameterTypes(fallback.method(), type));
        }
    }

    private static void keepListener(ReflectionHints hints, Class<?> type, Method method) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        BINDING.registerReflectionHints(hints, ListenerMethod.parameterTypes(method, type));
        Class<?> payload = new ListenerMethod(method, type).payload();
        if (payload != null && payload.isSealed()) {
            Set<Class<?>> permitted = new LinkedHashSet<>();
            ListenerTypes.permitted(payload, permitted, new ArrayList<>());
            permitted.forEach(permittedType -> BINDING.registerReflectionHints(hints, permittedType));
        }
    }
}
