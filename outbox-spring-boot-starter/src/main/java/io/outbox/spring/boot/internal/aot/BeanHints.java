package io.outbox.spring.boot.internal.aot;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxPublish;
import io.outbox.spring.boot.internal.listeners.ListenerCatalog;
import io.outbox.spring.boot.internal.publishing.OutboxPublishPostProcessor;
import java.lang.reflect.Method;
import java.util.ArrayList;
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
 * Keeps what the beans of an application need in a native image: the types that {@link OutboxListener} names by class, the
 * methods that have it with the classes of their payloads, and what methods with {@link OutboxPublish} may publish.
 */
public final class BeanHints implements BeanRegistrationAotProcessor {

    private static final BindingReflectionHintsRegistrar BINDING = new BindingReflectionHintsRegistrar();

    @Override
    public BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        Map<Method, OutboxListener> listening = ListenerCatalog.methods(type);
        Set<Method> publishing = OutboxPublishPostProcessor.methods(type).keySet();
        List<OutboxListener> annotations = new ArrayList<>(listening.values());
        OutboxListener onBean =
                bean.getBeanFactory().findAnnotationOnBean(bean.getBeanName(), OutboxListener.class, false);
        if (onBean != null) {
            annotations.add(onBean);
        }
        if (annotations.isEmpty() && publishing.isEmpty()) {
            return null;
        }
        return (context, code) -> {
            ReflectionHints hints = context.getRuntimeHints().reflection();
            annotations.forEach(annotation -> keepTypes(hints, annotation));
            listening.keySet().forEach(method -> keepListener(hints, type, method));
            publishing.forEach(method -> keepPublished(hints, method));
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

    private static void keepListener(ReflectionHints hints, Class<?> type, Method method) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        BINDING.registerReflectionHints(hints, ListenerCatalog.parameterTypes(method, type));
    }

    /** An expression can make the payload from the parameters as well as from the result. */
    private static void keepPublished(ReflectionHints hints, Method method) {
        BINDING.registerReflectionHints(hints, method.getGenericReturnType());
        BINDING.registerReflectionHints(hints, method.getGenericParameterTypes());
    }
}
