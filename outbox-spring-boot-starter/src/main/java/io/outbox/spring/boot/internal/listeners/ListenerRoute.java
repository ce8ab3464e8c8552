package io.outbox.spring.boot.internal.listeners;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventType;
import io.outbox.spring.boot.OutboxListener;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.beans.BeanUtils;

/** The events that a listener is for. */
record ListenerRoute(String aggregateType, String eventType) {

    /** Returns the route of a listener that carries it. */
    static ListenerRoute of(BoundEventListener listener) {
        return new ListenerRoute(listener.getAggregateType(), listener.getEventType());
    }

    /**
     * Returns the event type that an annotation names, or {@code null}.
     *
     * @param placeholders resolves those in names
     */
    static String eventType(OutboxListener annotation, UnaryOperator<String> placeholders) {
        return name(
                "eventType",
                placeholders.apply(annotation.eventType()),
                annotation.eventTypeClass(),
                EventType.class,
                EventType::name);
    }

    /** Returns the aggregate type that an annotation names, or that of events without one. */
    static String aggregateType(OutboxListener annotation, UnaryOperator<String> placeholders) {
        String aggregateType = name(
                "aggregateType",
                placeholders.apply(annotation.aggregateType()),
                annotation.aggregateTypeClass(),
                AggregateType.class,
                AggregateType::name);
        return aggregateType == null ? AggregateType.GLOBAL.name() : aggregateType;
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
