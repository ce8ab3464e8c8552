package io.outbox.spring.boot.internal.listeners;

import io.outbox.EventListener;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.internal.delivery.Idempotence;
import io.outbox.spring.boot.internal.settings.OutboxKeys;
import java.lang.reflect.Method;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Listeners of the outbox that have {@link Idempotent}. */
final class IdempotentListeners {

    private final ListableBeanFactory beans;

    IdempotentListeners(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Returns the annotation of a bean, by its class or by the method that makes it, or {@code null}. */
    Idempotent annotationOf(String beanName) {
        return beans.findAnnotationOnBean(beanName, Idempotent.class, false);
    }

    /** Returns the annotation of a method of a bean, or else of the bean, or {@code null}. */
    Idempotent annotationOf(String beanName, Method method) {
        Idempotent onMethod = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
        return onMethod != null ? onMethod : annotationOf(beanName);
    }

    /**
     * Returns the listener as the annotation wants it.
     *
     * @param annotation may be {@code null}
     * @param name what tells the listener from others
     * @throws IllegalStateException if there is no consumer
     */
    EventListener of(EventListener listener, Idempotent annotation, String name) {
        if (annotation == null) {
            return listener;
        }
        Idempotence idempotence = beans.getBeanProvider(Idempotence.class).getIfAvailable();
        if (idempotence == null) {
            throw new IllegalStateException("it is @Idempotent, but there is no consumer to mark its events: set "
                    + OutboxKeys.CONSUMER + "=true");
        }
        return idempotence.of(listener, annotation, name);
    }
}
