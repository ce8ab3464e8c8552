package io.outbox.spring.boot;

import io.outbox.BoundEventListener;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;

/** Finds the beans that are listeners: by {@link OutboxListener}, or as a {@link BoundEventListener}. */
final class ListenerBeans {

    private ListenerBeans() {}

    static Set<String> names(ListableBeanFactory beans) {
        Set<String> names = new LinkedHashSet<>();
        names.addAll(Set.of(beans.getBeanNamesForAnnotation(OutboxListener.class)));
        names.addAll(Set.of(beans.getBeanNamesForType(BoundEventListener.class)));
        return names;
    }
}
