package io.outbox.spring.boot;

import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.internal.delivery.ListenerBeans;
import io.outbox.spring.boot.internal.delivery.ListenerRoute;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the {@link OutboxListener} and {@link BoundEventListener} beans once all beans are there, which is before
 * delivery starts. A listener that cannot be registered ends the start of the application.
 */
public final class OutboxListenerRegistrar implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final OutboxFactory outboxes;

    public OutboxListenerRegistrar(ListableBeanFactory beans, OutboxFactory outboxes) {
        this.beans = Objects.requireNonNull(beans, "beans");
        this.outboxes = Objects.requireNonNull(outboxes, "outboxes");
    }

    @Override
    public void afterSingletonsInstantiated() {
        ListenerBeans.names(beans).forEach(this::register);
    }

    private void register(String beanName) {
        try {
            if (!(beans.getBean(beanName) instanceof EventListener listener)) {
                throw new IllegalStateException(
                        "its class does not implement " + EventListener.class.getName() + " or BatchEventListener");
            }
            OutboxListener annotation = beans.findAnnotationOnBean(beanName, OutboxListener.class);
            ListenerRoute route = annotation == null
                    ? ListenerRoute.of((BoundEventListener) listener)
                    : ListenerRoute.of(listener, annotation);
            registry(annotation == null ? "" : annotation.outbox())
                    .register(route.aggregateType(), route.eventType(), listener);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "Outbox listener '" + beanName + "' cannot be registered: " + e.getMessage(), e);
        }
    }

    private DefaultListenerRegistry registry(String outbox) {
        Map<String, DefaultListenerRegistry> named = outboxes.registries();
        if (!outbox.isEmpty()) {
            DefaultListenerRegistry registry = named.get(outbox);
            if (registry == null) {
                throw new IllegalStateException("no outbox was created with the name '" + outbox + "', only "
                        + named.keySet() + "; see OutboxFactory.create");
            }
            return registry;
        }
        int others = beans.getBeanNamesForType(Outbox.class).length - named.size();
        if (others > 0 || named.isEmpty()) {
            return defaultRegistry();
        }
        if (named.size() > 1) {
            throw new IllegalStateException(
                    "there are several outboxes, " + named.keySet() + "; @OutboxListener(outbox = …) must choose one");
        }
        return named.values().iterator().next();
    }

    private DefaultListenerRegistry defaultRegistry() {
        ListenerRegistry registry = beans.getBean(ListenerRegistry.class);
        if (registry instanceof DefaultListenerRegistry open) {
            return open;
        }
        throw new IllegalStateException("the application's ListenerRegistry bean, a "
                + registry.getClass().getName() + ", is not a DefaultListenerRegistry, so nothing can be added to it");
    }
}
