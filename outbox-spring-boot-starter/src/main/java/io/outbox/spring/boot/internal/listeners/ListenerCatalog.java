package io.outbox.spring.boot.internal.listeners;

import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxCustomizer;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.internal.texts.ApplicationClasses;
import io.outbox.spring.boot.internal.texts.OutboxedClasses;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
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
import org.springframework.util.ObjectUtils;

/**
 * The listeners of an application: methods and beans with {@link OutboxListener}, and {@link BoundEventListener} beans.
 *
 * <p>Annotated ones are found by their classes alone, because an outbox must know their lanes and subscriptions when it
 * is built, and the beans that have them may need that outbox. Of a bean with a scoped proxy it is the proxy, not the
 * target.
 */
final class ListenerCatalog {

    private static final int NO_VERSION = 0;
    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private final ConfigurableListableBeanFactory beans;
    private final ApplicationClasses classes;
    private final ListenerPolicies policies;
    private final ListenerTypes types;
    private final Map<String, Set<String>> aliases = new LinkedHashMap<>();
    private final Map<String, Integer> versions;
    private final List<ListenerDefinition> found;
    private final List<ListenerDefinition> annotated;
    private final ListenersElsewhere elsewhere;
    private final IdempotentListeners idempotent;
    private volatile boolean registered;

    ListenerCatalog(ConfigurableListableBeanFactory beans, OutboxProperties properties) {
        this.beans = beans;
        this.classes = ApplicationClasses.of(beans);
        this.idempotent = new IdempotentListeners(beans);
        this.policies = new ListenerPolicies(
                properties, () -> beans.getBeanProvider(RetryPolicy.class).getIfAvailable(), this::resolved);
        Map<String, Map<Method, OutboxListener>> methods = annotatedMethods();
        this.types = new ListenerTypes(this::resolved, payloads(methods), () -> OutboxedClasses.in(beans));
        this.versions = Map.copyOf(properties.getVersions());
        properties.getAliases().forEach((type, former) -> aliases(type).addAll(former));
        this.found = find(methods);
        this.annotated = ListenerTypes.mostSpecific(found);
        this.elsewhere = new ListenersElsewhere(properties.getSubscriptions());
        policies.warnOfUnknown(
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

    /** Returns the versions of event types by the settings. */
    Map<String, Integer> versions() {
        return versions;
    }

    /** Returns the former names of an event type. */
    Set<String> aliasesOf(String eventType) {
        return aliases.getOrDefault(eventType, Set.of());
    }

    private Set<String> aliases(String eventType) {
        return aliases.computeIfAbsent(eventType, key -> new LinkedHashSet<>());
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
                        .flatMap(method -> ofMethod(beanName, type, method.getKey(), method.getValue()).stream())
                        .filter(listener -> found.stream().noneMatch(listener::isSameAs))
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
                    NO_VERSION,
                    new ListenerSource(
                            beanName,
                            outbox,
                            null,
                            () -> idempotent.of(listener, idempotent.annotationOf(beanName), beanName)));
        });
    }

    private static void requireOutboxAlone(OutboxListener annotation) {
        if (annotation != null) {
            Map<String, Object> given = AnnotationUtils.getAnnotationAttributes(annotation);
            given.remove("outbox");
            given.forEach((attribute, value) -> {
                Object none = AnnotationUtils.getDefaultValue(OutboxListener.class, attribute);
                if (!ObjectUtils.nullSafeEquals(value, none)) {
                    throw new IllegalStateException("a BoundEventListener has its types already; @OutboxListener may"
                            + " set only outbox, not: " + attribute);
                }
            });
        }
    }

    private Map<String, Map<Method, OutboxListener>> annotatedMethods() {
        Map<String, Map<Method, OutboxListener>> found = new LinkedHashMap<>();
        for (String beanName : beansOf(Object.class)) {
            Class<?> type = targetClass(beanName);
            found.put(beanName, type == null ? Map.of() : methods(type));
        }
        return found;
    }

    /** Returns the classes of what these methods take. */
    private Set<Class<?>> payloads(Map<String, Map<Method, OutboxListener>> methods) {
        Set<Class<?>> payloads = new LinkedHashSet<>();
        methods.forEach((beanName, ofBean) -> ofBean.forEach((method, annotation) -> {
            payloads.addAll(List.of(annotation.payloads()));
            Class<?> payload =
                    listenerMethod(beanName, targetClass(beanName), method).payload();
            if (payload != null && OutboxedClasses.typeOf(payload) != null) {
                payloads.add(payload);
            }
        }));
        return payloads;
    }

    private List<ListenerDefinition> find(Map<String, Map<Method, OutboxListener>> methods) {
        List<ListenerDefinition> found = new ArrayList<>();
        methods.forEach((beanName, ofBean) -> {
            OutboxListener annotation = annotationOf(beanName);
            Class<?> type = targetClass(beanName);
            if (annotation != null && !isBound(type)) {
                found.addAll(ofBean(beanName, type, annotation));
            }
            ofBean.forEach((method, onMethod) -> found.addAll(ofMethod(beanName, type, method, onMethod)));
        });
        return List.copyOf(found);
    }

    private OutboxListener annotationOf(String beanName) {
        return beans.findAnnotationOnBean(beanName, OutboxListener.class, false);
    }

    private Map<Method, OutboxListener> methods(Class<?> type) {
        return methods(type, classes);
    }

    /** Returns the annotated methods of a class; those that make beans are no listeners themselves. */
    static Map<Method, OutboxListener> methods(Class<?> type, ApplicationClasses classes) {
        if (!classes.include(type) || !AnnotationUtils.isCandidateClass(type, OutboxListener.class)) {
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

    private List<ListenerDefinition> ofBean(String beanName, Class<?> type, OutboxListener annotation) {
        return describing(beanName, () -> {
            if (type != null && !EventListener.class.isAssignableFrom(type)) {
                throw new IllegalStateException("its class does not implement " + EventListener.class.getName()
                        + " or BatchEventListener; put @OutboxListener on the method that takes the events");
            }
            ListenerMistake.unless(
                    annotation.fallback().isEmpty(),
                    "fallback is only for methods; a class implements its own",
                    "Override EventListener.fallback() in the class");
            return definitions(
                    beanName,
                    annotation,
                    null,
                    (name, target) -> idempotent.of(
                            beans.getBean(beanName, EventListener.class), idempotent.annotationOf(beanName), name));
        });
    }

    private static ListenerMethod listenerMethod(String beanName, Class<?> type, Method method) {
        return describing(beanName + "." + method.getName(), () -> new ListenerMethod(method, type));
    }

    private List<ListenerDefinition> ofMethod(
            String beanName, Class<?> type, Method method, OutboxListener annotation) {
        String description = beanName + "." + method.getName();
        ListenerMethod listener = listenerMethod(beanName, type, method);
        return describing(description, () -> {
            FallbackMethod fallback = FallbackMethod.of(method, type, resolved(annotation.fallback()));
            return definitions(description, annotation, listener.payload(), (name, target) -> {
                requireReadable(listener, target);
                Class<?> payload = target.payload();
                return idempotent.of(
                        withFallback(fallback, beanName, payload, listener.on(beans, beanName, payload)),
                        idempotent.annotationOf(beanName, method),
                        name);
            });
        });
    }

    /** A customizer may give the outbox another codec than those that are known here. */
    private void requireReadable(ListenerMethod listener, ListenerTypes.Target target) {
        if (target.standsForOthers() || beans.getBeanNamesForType(OutboxCustomizer.class).length > 0) {
            return;
        }
        List<String> codecs = List.of(beans.getBeanNamesForType(JsonCodec.class));
        JsonCodec codec = beans.getBeanProvider(JsonCodec.class).getIfUnique();
        if (codec != null) {
            listener.requireReadableBy(codec, target.payload());
        } else if (codecs.size() > 1) {
            listener.requireNoCodec(target.payload(), codecs);
        }
    }

    private EventListener withFallback(
            FallbackMethod fallback, String beanName, Class<?> payload, EventListener listener) {
        return fallback == null
                ? listener
                : EventListener.withFallback(fallback.on(beans, beanName, payload), listener);
    }

    /** @param listener makes it, of its name and what it is for */
    private List<ListenerDefinition> definitions(
            String description,
            OutboxListener annotation,
            Class<?> taken,
            BiFunction<String, ListenerTypes.Target, EventListener> listener) {
        String subscription = resolved(annotation.subscription());
        String name = Stream.of(resolved(annotation.name()), subscription, description)
                .filter(candidate -> !candidate.isEmpty())
                .findFirst()
                .orElseThrow();
        ListenerLane lane = policies.of(name, annotation);
        return types.of(annotation, taken).stream()
                .map(target -> {
                    noteAliases(target, taken);
                    return new ListenerDefinition(
                            name,
                            target.route(),
                            subscription.isEmpty() ? null : subscription,
                            lane,
                            version(target, taken),
                            new ListenerSource(
                                    description,
                                    resolved(annotation.outbox()),
                                    target.supertype(),
                                    () -> listener.apply(name, target)));
                })
                .toList();
    }

    /** Returns the version that the payload's class states, or 0. */
    private static int version(ListenerTypes.Target target, Class<?> taken) {
        Class<?> payload = target.payload() == null ? taken : target.payload();
        return payload == null ? NO_VERSION : OutboxedClasses.versionOf(payload);
    }

    /** Notes the former names that the payload's class gives to its type. */
    private void noteAliases(ListenerTypes.Target target, Class<?> taken) {
        Class<?> payload = target.payload() == null ? taken : target.payload();
        String type = payload == null ? null : OutboxedClasses.typeOf(payload);
        if (type != null && resolved(type).equals(target.route().eventType())) {
            OutboxedClasses.aliasesOf(payload)
                    .forEach(former -> aliases(resolved(type)).add(resolved(former)));
        }
    }

    private String resolved(String text) {
        return text.isEmpty() ? text : beans.resolveEmbeddedValue(text);
    }

    /** Adds the listener's name to a mistake. */
    private static <T> T describing(String listener, Supplier<T> definition) {
        try {
            return definition.get();
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new ListenerRegistrationException(listener, e);
        }
    }
}
