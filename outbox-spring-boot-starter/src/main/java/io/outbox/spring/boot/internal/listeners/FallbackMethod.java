package io.outbox.spring.boot.internal.listeners;

import static io.outbox.spring.boot.internal.listeners.ListenerMistake.unless;

import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.spring.boot.OutboxListener;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that is called with an event that the listener of the same bean could not handle. Checked when it is made.
 */
final class FallbackMethod {

    private final Method method;
    private final List<Parameter> parameters;

    /** What one parameter is given, read as another class if that is not {@code null}. */
    private interface Parameter {
        Object of(EventEnvelope event, DeliveryInfo info, Throwable cause, Class<?> as);
    }

    private FallbackMethod(Method method, Class<?> beanType) {
        this.method = method;
        ListenerMethod.requireCallable(method, beanType);
        unless(
                method.getReturnType() == void.class,
                "its fallback " + name() + " must return nothing: the event goes DEAD after it",
                "Let the fallback return void");
        List<ResolvableType> types = Arrays.stream(ListenerMethod.parameterTypes(method, beanType))
                .map(ResolvableType::forType)
                .toList();
        unless(
                types.stream().noneMatch(type -> type.resolve() == null || type.resolve() == List.class),
                "its fallback " + name() + " must take single events, also if the listener takes batches",
                "Take the payload's class in place of a List");
        List<Object> kinds = types.stream().map(FallbackMethod::kind).toList();
        unless(
                kinds.stream().distinct().count() == kinds.size(),
                "its fallback " + name() + " has two parameters for the same thing, " + types
                        + "; there is one payload, one EventEnvelope, one DeliveryInfo and one exception",
                "Remove one of them; take the exception as Throwable or Exception");
        this.parameters = types.stream().map(FallbackMethod::parameter).toList();
    }

    /**
     * Returns the fallback that a listener names.
     *
     * @return {@code null} if it names none
     */
    static FallbackMethod of(Method listener, Class<?> beanType, String name) {
        if (name.isEmpty()) {
            return null;
        }
        List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(beanType))
                .filter(method -> method.getName().equals(name) && !method.isBridge() && !method.isSynthetic())
                .toList();
        unless(
                named.size() == 1,
                "its fallback '" + name + "' is the name of " + (named.isEmpty() ? "no method" : "several methods")
                        + " of " + beanType.getName(),
                named.isEmpty()
                        ? "Name a method of the same bean that takes the payload, EventEnvelope, DeliveryInfo or Throwable"
                        : "Give the fallback a name that no other method has");
        unless(
                !AnnotatedElementUtils.hasAnnotation(named.get(0), OutboxListener.class)
                        && !named.get(0).equals(listener),
                "its fallback '" + name + "' is a listener itself",
                "Name a method without @OutboxListener");
        return new FallbackMethod(named.get(0), beanType);
    }

    private static Object kind(ResolvableType type) {
        return isCause(type) ? Throwable.class : ListenerArgument.of(type).kind();
    }

    private static boolean isCause(ResolvableType type) {
        return type.resolve() == Throwable.class || type.resolve() == Exception.class;
    }

    private static Parameter parameter(ResolvableType type) {
        if (isCause(type)) {
            Function<Throwable, Object> cause = type.resolve() == Throwable.class
                    ? thrown -> thrown
                    : thrown ->
                            thrown instanceof Exception ? thrown : new IllegalStateException(thrown.toString(), thrown);
            return (event, info, thrown, as) -> cause.apply(thrown);
        }
        ListenerArgument argument = ListenerArgument.of(type);
        Class<?> declared = type.resolve();
        return (event, info, thrown, as) ->
                (as != null && declared.isAssignableFrom(as) ? argument.readAs(as) : argument).of(event, info);
    }

    private String name() {
        return "'" + method.getName() + "'";
    }

    Method method() {
        return method;
    }

    /**
     * Returns the method of a bean as a fallback.
     *
     * @param as the class that the listener reads payloads as, or {@code null} for that of its parameter
     * @throws IllegalStateException if it cannot be called through the bean's proxy, as far as that is known already
     */
    EventFallback on(ConfigurableListableBeanFactory beans, String beanName, Class<?> as) {
        BeanMethod call = BeanMethod.checked(beans, beanName, method);
        return (event, info, cause) -> call.call(parameters.stream()
                .map(parameter -> parameter.of(event, info, cause, as))
                .toArray());
    }
}
