package io.outbox.spring.boot.internal.listeners;

import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxProperties;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * The listeners of an application: methods and beans with {@link OutboxListener}, and {@link BoundEventListener} beans.
 *
 * <p>Annotated ones are found by their classes alone, because an outbox must know their lanes and subscriptions when it is
 * built, and the beans that have them may need that outbox. Of a bean with a scoped proxy it is the proxy, not the target.
 */
final class ListenerCatalog {

    private static final System.Logger LOG = System.getLogger(ListenerCatalog.class.getName());

    private final ConfigurableListableBeanFactory beans;
    private final ListenerPolicies policies;
    private final List<ListenerDefinition> annotated;
    private final ListenersElsewhere elsewhere;
    private final IdempotentListeners idempotent;
    private volatile boolean registered;

    ListenerCatalog(ConfigurableListableBeanFactory beans, OutboxProperties properties) {
        this.beans = beans;
        this.idempotent = new IdempotentListeners(beans);
        this.policies = new ListenerPolicies(
                properties, () -> beans.getBeanProvider(RetryPolicy.class).getIfAvailable(), this::resolved);
        this.annotated = find();
        this.elsewhere = new ListenersElsewhere(properties.getSubscriptions());
        policies.requireKnown(
                annotated.stream().map(ListenerDefinition::name).collect(Collectors.toCollection(LinkedHashSet::new)));
    }

    /** Returns whether every listener of the application is registered. */
    boolean isRegistered() {
        return registered;
    }

    /** Notes that every listener of the application is registered. */
    void registered() {
        registered = true;
    }

    /** Returns for whom the application writes although others deliver. */
    ListenersElsewhere elsewhere() {
        return elsewhere;
    }

    /** Returns whether listeners that name no outbox belong to this one. */
    boolean isDefault(String outbox) {
        return outbox.isEmpty() || beans.getBeanNamesForType(Outbox.class, true, false).length == 1;
    }

    /** Returns the annotated listeners of an outbox; the empty name is that of the outbox that has none. */
    List<ListenerDefinition> ofOutbox(String outbox) {
        boolean isDefault = isDefault(outbox);
        return annotated.stream()
                .filter(listener ->
                        listener.outbox().equals(outbox) || (listener.outbox().isEmpty() && isDefault))
                .toList();
    }

    /** Returns the annotated listeners of all outboxes. */
    List<ListenerDefinition> annotated() {
        return annotated;
    }

    /** Returns the names of all beans that are listeners, and of the methods that are. */
    Set<String> descriptions() {
        return Stream.concat(annotated.stream().map(ListenerDefinition::description), boundBeans().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the listeners whose beans carry their route; creates these beans. */
    List<ListenerDefinition> bound() {
        return boundBeans().stream().map(this::bound).toList();
    }

    /**
     * Returns the methods that could not be seen before there were beans, because the bean's class was not known.
     *
     * @throws ListenerRegistrationException if one of them needed to be known earlier
     */
    List<ListenerDefinition> late() {
        List<ListenerDefinition> late = new ArrayList<>();
        for (String beanName : beans.getSingletonNames()) {
            Class<?> type = AopUtils.getTargetClass(beans.getSingleton(beanName));
            if (!ScopedProxyUtils.isScopedTarget(beanName)) {
                methods(type).entrySet().stream()
                        .map(method -> ofMethod(beanName, type, method.getKey(), method.getValue()))
                        .filter(listener -> annotated.stream().noneMatch(listener::isSameAs))
                        .map(ListenerCatalog::requireNothingEarly)
                        .forEach(late::add);
            }
        }
        return late;
    }

    private static ListenerDefinition requireNothingEarly(ListenerDefinition listener) {
        return describing(listener.description(), () -> {
            if (listener.isNeededEarly()) {
                throw new IllegalStateException(
                        "its settings are needed before its bean is made, and the bean is declared"
                                + " by another type: declare the return type of the @Bean method as the bean's class");
            }
            return listener;
        });
    }

    /** Returns the listener beans that say nowhere which events they are for. */
    Set<String> unbound() {
        Set<String> names = beansOf(EventListener.class);
        names.removeAll(boundBeans());
        names.removeIf(name -> annotationOf(name) != null
                || (beans.containsBeanDefinition(name)
                        && !beans.getBeanDefinition(name).isAutowireCandidate()));
        return names;
    }

    private Set<String> boundBeans() {
        Set<String> names = beansOf(EventListener.class);
        names.removeIf(name -> !isBound(targetClass(name)));
        return names;
    }

    private Set<String> beansOf(Class<?> type) {
        Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanNamesForType(type, true, false)));
        names.removeIf(ScopedProxyUtils::isScopedTarget);
        return names;
    }

    private static boolean isBound(Class<?> type) {
        return type != null && BoundEventListener.class.isAssignableFrom(type);
    }

    private ListenerDefinition bound(String beanName) {
        OutboxListener annotation = annotationOf(beanName);
        return describing(beanName, () -> {
            requireOutboxAlone(annotation);
            EventListener listener = beans.getBean(beanName, EventListener.class);
            Object target =
                    listener instanceof BoundEventListener ? listener : AopProxyUtils.getSingletonTarget(listener);
            if (!(target instanceof BoundEventListener bound)) {
                throw new IllegalStateException("it is behind a proxy that hides which events it is for: let the proxy"
                        + " be one of its class (proxyTargetClass = true), or give @OutboxListener its types instead");
            }
            String outbox = annotation == null ? "" : resolved(annotation.outbox());
            return new ListenerDefinition(
                    beanName,
                    ListenerRoute.of(bound),
                    null,
                    null,
                    new ListenerSource(
                            beanName,
                            outbox,
                            () -> idempotent.of(listener, idempotent.annotationOf(beanName), beanName)));
        });
    }

    private static void requireOutboxAlone(OutboxListener annotation) {
        if (annotation != null) {
            Map<String, Object> given = AnnotationUtils.getAnnotationAttributes(annotation);
            given.remove("outbox");
            given.forEach((attribute, value) -> {
                if (!value.equals(AnnotationUtils.getDefaultValue(OutboxListener.class, attribute))) {
                    throw new IllegalStateException("a BoundEventListener has its types already; @OutboxListener must"
                            + " not give them again, nor anything else but outbox: " + attribute);
                }
            });
        }
    }

    private List<ListenerDefinition> find() {
        List<ListenerDefinition> found = new ArrayList<>();
        for (String beanName : beansOf(Object.class)) {
            OutboxListener annotation = annotationOf(beanName);
            Class<?> type = targetClass(beanName);
            if (annotation != null && !isBound(type)) {
                found.add(ofBean(beanName, type, annotation));
            }
            if (type != null) {
                methods(type).forEach((method, onMethod) -> found.add(ofMethod(beanName, type, method, onMethod)));
            }
        }
        return List.copyOf(found);
    }

    private OutboxListener annotationOf(String beanName) {
        return beans.findAnnotationOnBean(beanName, OutboxListener.class, false);
    }

    private static boolean mayHaveMethods(Class<?> type) {
        return !type.getName().startsWith("org.springframework.")
                && AnnotationUtils.isCandidateClass(type, OutboxListener.class);
    }

    /** Returns the annotated methods of a class; those that make beans are no listeners themselves. */
    static Map<Method, OutboxListener> methods(Class<?> type) {
        if (!mayHaveMethods(type)) {
            return Map.of();
        }
        try {
            return MethodIntrospector.selectMethods(
                    type,
                    (Method method) -> AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                            ? null
                            : AnnotatedElementUtils.findMergedAnnotation(method, OutboxListener.class));
        } catch (LinkageError | TypeNotPresentException e) {
            // a class of a library whose optional parts are not there, and so none of the application's listeners
            LOG.log(Level.DEBUG, () -> "Methods of " + type.getName() + " cannot be looked at", e);
            return Map.of();
        }
    }

    /** Returns the class of a bean as far as it is known without creating any. */
    private Class<?> targetClass(String beanName) {
        Class<?> type = originalClass(beanName);
        if (type != null && ScopedObject.class.isAssignableFrom(type)) {
            return originalClass(ScopedProxyUtils.getTargetBeanName(beanName));
        }
        return type;
    }

    private Class<?> originalClass(String beanName) {
        if (beans.containsBeanDefinition(beanName)
                && beans.getBeanDefinition(beanName).getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE)
                        instanceof Class<?> original) {
            return original;
        }
        Class<?> type = beans.getType(beanName, false);
        return type == null ? null : ClassUtils.getUserClass(type);
    }

    private ListenerDefinition ofBean(String beanName, Class<?> type, OutboxListener annotation) {
        return describing(beanName, () -> {
            if (type != null && !EventListener.class.isAssignableFrom(type)) {
                throw new IllegalStateException("its class does not implement " + EventListener.class.getName()
                        + " or BatchEventListener; put @OutboxListener on the method that takes the events");
            }
            return definition(
                    beanName,
                    annotation,
                    null,
                    name -> idempotent.of(
                            beans.getBean(beanName, EventListener.class), idempotent.annotationOf(beanName), name));
        });
    }

    private ListenerDefinition ofMethod(String beanName, Class<?> type, Method method, OutboxListener annotation) {
        String description = beanName + "." + method.getName();
        return describing(description, () -> {
            ListenerMethod listener = new ListenerMethod(method, type);
            return definition(
                    description,
                    annotation,
                    listener.eventType(),
                    name -> idempotent.of(
                            listener.on(beans, beanName), idempotent.annotationOf(beanName, method), name));
        });
    }

    private ListenerDefinition definition(
            String description, OutboxListener annotation, String eventType, Function<String, EventListener> listener) {
        String subscription = resolved(annotation.subscription());
        String name = Stream.of(resolved(annotation.name()), subscription, description)
                .filter(candidate -> !candidate.isEmpty())
                .findFirst()
                .orElseThrow();
        return new ListenerDefinition(
                name,
                ListenerRoute.of(annotation, this::resolved, eventType == null ? null : resolved(eventType)),
                subscription.isEmpty() ? null : subscription,
                policies.of(name, annotation),
                new ListenerSource(description, resolved(annotation.outbox()), () -> listener.apply(name)));
    }

    private String resolved(String text) {
        return text.isEmpty() ? text : beans.resolveEmbeddedValue(text);
    }

    /** Adds the listener's name to a mistake. */
    private static ListenerDefinition describing(String listener, Supplier<ListenerDefinition> definition) {
        try {
            return definition.get();
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new ListenerRegistrationException(listener, e);
        }
    }
}
