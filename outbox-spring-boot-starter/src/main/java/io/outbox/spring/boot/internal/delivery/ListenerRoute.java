package io.outbox.spring.boot.internal.delivery;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.spring.boot.OutboxListener;
import java.util.Arrays;
import java.util.function.Function;
import org.springframework.beans.BeanUtils;

/** The events that a listener bean is for. */
public record ListenerRoute(String aggregateType, String eventType) {

    /** Returns the route of a listener that carries it. */
    public static ListenerRoute of(BoundEventListener listener) {
        return new ListenerRoute(listener.getAggregateType(), listener.getEventType());
    }

    /** Returns the route of an annotated listener. */
    public static ListenerRoute of(EventListener listener, OutboxListener annotation) {
        ListenerRoute annotated = of(annotation);
        if (listener instanceof BoundEventListener bound) {
            if (annotated.eventType != null || annotated.aggregateType != null) {
                throw new IllegalStateException(
                        "a BoundEventListener has its types already; @OutboxListener must not give them again");
            }
            return of(bound);
        }
        if (annotated.eventType == null) {
            throw new IllegalStateException("@OutboxListener needs eventType or eventTypeClass");
        }
        return annotated.aggregateType != null
                ? annotated
                : new ListenerRoute(AggregateType.GLOBAL.name(), annotated.eventType);
    }

    private static ListenerRoute of(OutboxListener annotation) {
        return new ListenerRoute(
                name(
                        "aggregateType",
                        annotation.aggregateType(),
                        annotation.aggregateTypeClass(),
                        AggregateType.class,
                        AggregateType::name),
                name(
                        "eventType",
                        annotation.eventType(),
                        annotation.eventTypeClass(),
                        EventType.class,
                        EventType::name));
    }

    private static <T> String name(
            String attribute, String name, Class<? extends T> type, Class<T> none, Function<T, String> nameOf) {
        if (type == none) {
            return name.isEmpty() ? null : name;
        }
        T[] constants = constants(type);
        if (constants == null) {
            return sameAs(name, nameOf.apply(BeanUtils.instantiateClass(type)), attribute, type);
        }
        if (name.isEmpty() && constants.length == 1) {
            return nameOf.apply(constants[0]);
        }
        return Arrays.stream(constants)
                .map(nameOf)
                .filter(name::equals)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(attribute + " must name one of the constants of "
                        + type.getName() + ", which are "
                        + Arrays.stream(constants).map(nameOf).toList() + ": '" + name + "'"));
    }

    private static <T> T[] constants(Class<? extends T> type) {
        return type.getEnumConstants();
    }

    private static String sameAs(String given, String ofClass, String attribute, Class<?> type) {
        if (!given.isEmpty() && !given.equals(ofClass)) {
            throw new IllegalStateException(
                    attribute + " is '" + given + "', but " + type.getName() + " is named '" + ofClass + "'");
        }
        return ofClass;
    }
}
