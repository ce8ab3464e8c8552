package io.outbox.spring.boot.internal.listeners;

import static io.outbox.spring.boot.internal.listeners.ListenerMistake.unless;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.spi.JsonCodec;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** A method that takes events: what it wants and what it returns. Checked when it is made. */
final class ListenerMethod {

    private final Method method;
    private final boolean batch;
    private final List<ListenerArgument> arguments;
    private final ResolvableType payload;

    /** @param beanType the class that has the method, perhaps from a generic superclass */
    ListenerMethod(Method method, Class<?> beanType) {
        this.method = method;
        requireCallable(method, beanType);
        List<ResolvableType> types = Arrays.stream(parameterTypes(method, beanType))
                .map(ResolvableType::forType)
                .toList();
        this.batch = types.stream().anyMatch(ListenerMethod::isList);
        unless(
                !batch || types.stream().allMatch(ListenerMethod::isList),
                "with one List among its parameters, which makes it a batch listener, every parameter must be a List",
                "Make every parameter a List, or none");
        List<ResolvableType> single =
                batch ? types.stream().map(type -> type.getGeneric(0)).toList() : types;
        unless(
                single.stream().noneMatch(type -> type == ResolvableType.NONE || type.resolve() == null),
                "every parameter must have a type that is known",
                "Name the type of the elements, for example List<Order> in place of List");
        single.forEach(ListenerMethod::requireReadable);
        this.arguments = single.stream().map(ListenerArgument::of).toList();
        List<ResolvableType> payloads = ofKind(ListenerArgument.Kind.PAYLOAD, single);
        unless(
                payloads.size() <= 1,
                "each of its parameters " + payloads + " was taken for the payload, of which there is one",
                "Keep the parameter with the payload. Headers and ids are in EventEnvelope, attempts in DeliveryInfo, and"
                        + " beans come by the constructor");
        unless(
                arguments.stream().map(ListenerArgument::kind).distinct().count() == arguments.size(),
                "there must be one payload, one EventEnvelope and one DeliveryInfo at most",
                "Remove the duplicate parameter");
        this.payload = payloads.isEmpty() ? null : payloads.get(0);
        unless(returnsWhatIsUnderstood(), returnRule(), "Change what the method returns");
    }

    static void requireCallable(Method method, Class<?> beanType) {
        unless(!Modifier.isPrivate(method.getModifiers()), "the method must not be private", "Make it package-private");
        unless(
                !Modifier.isStatic(method.getModifiers()),
                "the method must not be static",
                "Make it a method of the bean");
        unless(
                Stream.of(method, beanType, method.getDeclaringClass())
                        .noneMatch(element -> AnnotatedElementUtils.hasAnnotation(element, Async.class)),
                "it is @Async, so it returns before its work is done: its event would count as delivered, and a failure"
                        + " would be lost",
                "Remove @Async. The outbox calls listeners on its own threads, after the commit; concurrency of"
                        + " @OutboxListener sets how many calls run at the same time");
        unless(
                Stream.of(method.getParameterTypes())
                        .noneMatch(type -> type.getName().equals("kotlin.coroutines.Continuation")),
                "it is a suspend function, which returns before its work is done",
                "Make it a plain function; it may call runBlocking { … }");
    }

    /** Refuses what looks as if several events, or none, could come that way. */
    private static void requireReadable(ResolvableType type) {
        Class<?> raw = type.resolve();
        boolean ofThePlatform = raw.getName().startsWith("java.util.");
        unless(
                !ofThePlatform || !(Iterable.class.isAssignableFrom(raw) || BaseStream.class.isAssignableFrom(raw)),
                "its parameter " + type + " was taken for the payload of one event",
                "Take the payload's class for one event, or a List of it for a batch, such as List<"
                        + type.getGeneric(0).resolve(Object.class).getSimpleName() + ">");
        unless(
                raw != Optional.class,
                "its parameter " + type + " was taken for the payload, and every event has one",
                "Take " + type.getGeneric(0).resolve(Object.class).getSimpleName() + " itself");
    }

    private List<ResolvableType> ofKind(ListenerArgument.Kind kind, List<ResolvableType> types) {
        return IntStream.range(0, types.size())
                .filter(i -> arguments.get(i).kind() == kind)
                .mapToObj(types::get)
                .toList();
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

    /** Returns the class of the payload, or {@code null} if it takes none. */
    Class<?> payload() {
        return payload == null ? null : payload.resolve(Object.class);
    }

    /**
     * Returns the method of a bean as a listener.
     *
     * @param as the class to read payloads as, or {@code null} for that of the parameter
     * @throws IllegalStateException if it cannot be called through the bean's proxy, as far as that is known already
     */
    EventListener on(ConfigurableListableBeanFactory beans, String beanName, Class<?> as) {
        BeanMethod call = BeanMethod.checked(beans, beanName, method);
        List<ListenerArgument> passed = passed(as);
        return batch ? new BatchMethodListener(call, passed) : new MethodListener(call, passed);
    }

    private List<ListenerArgument> passed(Class<?> as) {
        return as == null
                ? arguments
                : arguments.stream().map(argument -> argument.readAs(as)).toList();
    }

    /** @throws ListenerMistake if it needs a codec, since none of these is the one to use */
    void requireNoCodec(Class<?> as, List<String> codecs) {
        passed(as)
                .forEach(argument -> ListenerMistake.unless(
                        argument.read() == null,
                        "its payload cannot be read, because there are several JsonCodec beans, " + codecs
                                + ", and none of them is primary",
                        "Mark one of the JsonCodec beans with @Primary"));
    }

    /** @throws ListenerMistake if the codec can read no payload for it */
    void requireReadableBy(JsonCodec codec, Class<?> as) {
        passed(as).forEach(argument -> argument.requireReadableBy(codec));
    }
}
