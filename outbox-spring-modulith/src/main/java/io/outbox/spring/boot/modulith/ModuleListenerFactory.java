package io.outbox.spring.boot.modulith;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.EventListenerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.events.core.ConditionalEventListener;

/**
 * Makes methods with {@link ApplicationModuleListener} receivers of the outbox. It comes before the factories of Spring
 * and Spring Modulith, so the event publication registry never hears of these methods. Methods for events of Spring
 * itself and for {@link EventExternalized}, which are published outside of transactions, are left to those.
 */
final class ModuleListenerFactory implements EventListenerFactory, Ordered {

    /** Before that of Spring Modulith, which has 25, and that of Spring for transactional listeners, which has 50. */
    private static final int ORDER = 20;

    private final ModulithWriter writer;
    private final Receivers receivers;
    private final Supplier<EventClasses> classes;

    /** @param classes is asked when listeners are made, because this factory is made before settings can be bound */
    ModuleListenerFactory(ModulithWriter writer, Receivers receivers, Supplier<EventClasses> classes) {
        this.writer = writer;
        this.receivers = receivers;
        this.classes = classes;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public boolean supportsMethod(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, ApplicationModuleListener.class)
                && !ConditionalEventListener.class.isAssignableFrom(method.getDeclaringClass())
                && Stream.of(method.getParameterTypes())
                        .noneMatch(type ->
                                ApplicationEvent.class.isAssignableFrom(type) || type == EventExternalized.class);
    }

    @Override
    public ApplicationListener<?> createApplicationListener(String beanName, Class<?> type, Method method) {
        ModuleListener listener = new ModuleListener(beanName, type, method, writer);
        listener.requireServable();
        ModuleReceiver receiver = (ModuleReceiver) receivers.get(listener.name());
        if (receiver == null) {
            receiver = new ModuleReceiver(classes.get());
            receivers.add(listener.name(), receiver);
        }
        receiver.add(listener);
        return listener;
    }
}
