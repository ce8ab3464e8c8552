package io.outbox.spring.boot.consumer.brokers;

import io.outbox.BoundEventListener;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.texts.ApplicationClasses;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Refuses {@link Idempotent} where nothing makes it true: on what is neither a listener of a broker nor one of the
 * outbox. It starts before anything that takes messages, when all listeners are known.
 */
final class IdempotentCheck implements SmartLifecycle {

    private static final String BEAN = Bean.class.getName();
    private static final List<String> LISTENERS = List.of(
            OutboxListener.class.getName(),
            "org.springframework.kafka.annotation.KafkaListener",
            "org.springframework.amqp.rabbit.annotation.RabbitListener");

    private final ListableBeanFactory beans;
    private final BrokerListeners brokerListeners;
    private volatile boolean running;

    IdempotentCheck(ListableBeanFactory beans, BrokerListeners brokerListeners) {
        this.beans = beans;
        this.brokerListeners = brokerListeners;
    }

    @Override
    public void start() {
        ApplicationClasses classes = ApplicationClasses.of(beans);
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && classes.include(ClassUtils.getUserClass(type))) {
                check(name, ClassUtils.getUserClass(type));
            }
        }
        running = true;
    }

    private void check(String name, Class<?> type) {
        Set<Method> listening = methods(type, method -> isListener(method) || brokerListeners.hasTaken(method, type));
        if (beans.findAnnotationOnBean(name, Idempotent.class, false) != null
                && listening.isEmpty()
                && !isListener(type)
                && !BoundEventListener.class.isAssignableFrom(type)
                && beans.findAnnotationOnBean(name, OutboxListener.class, false) == null) {
            throw refused("The bean " + name + " of " + type);
        }
        methods(type, method -> has(method, Idempotent.class.getName()) && !has(method, BEAN)).stream()
                .filter(method -> !listening.contains(method))
                .findFirst()
                .ifPresent(method -> {
                    throw refused("The method " + type.getName() + "." + method.getName());
                });
    }

    private interface Condition {
        boolean holdsFor(Method method);
    }

    private static Set<Method> methods(Class<?> type, Condition condition) {
        MetadataLookup<Boolean> lookup = method -> condition.holdsFor(method) ? Boolean.TRUE : null;
        return MethodIntrospector.selectMethods(type, lookup).keySet();
    }

    private static boolean isListener(AnnotatedElement element) {
        return LISTENERS.stream().anyMatch(listener -> has(element, listener));
    }

    private static boolean has(AnnotatedElement element, String annotation) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
    }

    private static OutboxStartupException refused(String what) {
        return new OutboxStartupException(
                what
                        + " has @Idempotent, but is not a supported listener: its effect would be repeated with each"
                        + " call",
                "Remove @Idempotent and call OutboxIdempotentConsumer.consume(…) there; the annotation is for methods and"
                        + " classes with @OutboxListener, @KafkaListener or @RabbitListener");
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
