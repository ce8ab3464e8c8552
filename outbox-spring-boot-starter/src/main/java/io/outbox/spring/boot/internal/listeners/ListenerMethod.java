package io.outbox.spring.boot.internal.listeners;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.spring.boot.internal.texts.EventTypes;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;

/** A method that takes events: what it wants and what it returns. Checked when it is made. */
final class ListenerMethod {

    private final Method method;
    private final boolean batch;
    private final List<ListenerArgument> arguments;
    private final ResolvableType payload;

    /** @param beanType the class that has the method, perhaps from a generic superclass */
    ListenerMethod(Method method, Class<?> beanType) {
        this.method = method;
        List<ResolvableType> types = Arrays.stream(parameterTypes(method, beanType))
                .map(ResolvableType::forType)
                .toList();
        this.batch = types.stream().anyMatch(ListenerMethod::isList);
        require(!Modifier.isPrivate(method.getModifiers()), "the method must not be private");
        require(!Modifier.isStatic(method.getModifiers()), "the method must not be static");
        require(
                !batch || types.stream().allMatch(ListenerMethod::isList),
                "with one List among its parameters, which makes it a batch listener, every parameter must be a List");
        List<ResolvableType> single =
                batch ? types.stream().map(type -> type.getGeneric(0)).toList() : types;
        require(
                single.stream().noneMatch(type -> type == ResolvableType.NONE || type.resolve() == null),
                "every parameter must have a type that is known, such as List<Order> in place of List");
        this.arguments = single.stream().map(ListenerArgument::of).toList();
        require(
                arguments.stream().map(ListenerArgument::kind).distinct().count() == arguments.size(),
                "there must be one payload, one EventEnvelope and one DeliveryInfo at most");
        this.payload = IntStream.range(0, single.size())
                .filter(i -> arguments.get(i).kind() == ListenerArgument.Kind.PAYLOAD)
                .mapToObj(single::get)
                .findFirst()
                .orElse(null);
        require(returnsWhatIsUnderstood(), returnRule());
    }

    /** Returns the types of the parameters, with the variables of generic superclasses replaced. */
    static Type[] parameterTypes(Method method, Class<?> beanType) {
        return Arrays.stream(method.getGenericParameterTypes())
                .map(type -> GenericTypeResolver.resolveType(type, beanType))
                .toArray(Type[]::new);
    }

    private static boolean isList(ResolvableType type) {
        return type.resolve() == List.class;
    }

    private boolean returnsWhatIsUnderstood() {
        ResolvableType returned = ResolvableType.forMethodReturnType(method);
        if (returned.resolve() == void.class) {
            return true;
        }
        return batch
                ? isList(returned)
                        && (BatchOutcome.class.isAssignableFrom(
                                        returned.getGeneric(0).resolve(Object.class))
                                || DispatchResult.class.isAssignableFrom(
                                        returned.getGeneric(0).resolve(Object.class)))
                : DispatchResult.class.isAssignableFrom(returned.resolve(Object.class));
    }

    private String returnRule() {
        return batch
                ? "a batch listener must return nothing, or a List of BatchOutcome or DispatchResult"
                : "it must return nothing, or a DispatchResult";
    }

    private static void require(boolean fulfilled, String rule) {
        if (!fulfilled) {
            throw new IllegalStateException(rule);
        }
    }

    /** Returns the event type that follows from the payload's class, or {@code null} if there is no such class. */
    String eventType() {
        return payload == null ? null : EventTypes.of(payload.resolve(Object.class));
    }

    /**
     * Returns the method of a bean as a listener.
     *
     * @throws IllegalStateException if it cannot be called through the bean's proxy, as far as that is known already
     */
    EventListener on(ConfigurableListableBeanFactory beans, String beanName) {
        BeanMethod call = new BeanMethod(beans, beanName, method);
        Class<?> type = beans.getType(beanName);
        if (type != null) {
            call.invocableOn(type);
        }
        return batch ? new BatchMethodListener(call, arguments) : new MethodListener(call, arguments);
    }
}
