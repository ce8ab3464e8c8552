package io.outbox.spring.boot.internal.delivery;

import io.outbox.BoundEventListener;
import io.outbox.spring.boot.OutboxListener;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Finds the beans that are listeners: by {@link OutboxListener}, or as a {@link BoundEventListener}. Of a bean with a scoped
 * proxy it is the proxy, not the target.
 */
public final class ListenerBeans {

    private ListenerBeans() {}

    public static Set<String> names(ListableBeanFactory beans) {
        Set<String> names = new LinkedHashSet<>();
        names.addAll(Set.of(beans.getBeanNamesForAnnotation(OutboxListener.class)));
        names.addAll(Set.of(beans.getBeanNamesForType(BoundEventListener.class)));
        names.removeIf(ScopedProxyUtils::isScopedTarget);
        return names;
    }
}
