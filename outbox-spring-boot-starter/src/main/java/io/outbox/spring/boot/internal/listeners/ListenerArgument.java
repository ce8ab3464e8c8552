package io.outbox.spring.boot.internal.listeners;

import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.lang.reflect.Type;
import java.util.function.BiFunction;
import org.springframework.core.ResolvableType;

/**
 * One argument of a method that takes events.
 *
 * @param value what is passed for an event
 */
record ListenerArgument(Kind kind, BiFunction<EventEnvelope, DeliveryInfo, Object> value) {

    enum Kind {
        EVENT,
        INFO,
        PAYLOAD
    }

    static ListenerArgument of(ResolvableType type) {
        Class<?> raw = type.resolve();
        if (raw == EventEnvelope.class) {
            return new ListenerArgument(Kind.EVENT, (event, info) -> event);
        }
        if (raw == DeliveryInfo.class) {
            return new ListenerArgument(Kind.INFO, (event, info) -> info);
        }
        return new ListenerArgument(Kind.PAYLOAD, payload(raw, type.getType()));
    }

    /** Returns the argument with a payload of this class, if that is what it is. */
    ListenerArgument readAs(Class<?> payload) {
        return kind == Kind.PAYLOAD ? new ListenerArgument(kind, payload(payload, payload)) : this;
    }

    /** Text and bytes come as they were written, everything else as the codec reads it. */
    private static BiFunction<EventEnvelope, DeliveryInfo, Object> payload(Class<?> raw, Type type) {
        if (raw == String.class) {
            return (event, info) -> text(event);
        }
        if (raw == byte[].class) {
            return (event, info) -> event.payloadBytes();
        }
        return type instanceof Class<?> simple
                ? (event, info) -> event.payload(simple)
                : (event, info) -> event.payload(type);
    }

    private static String text(EventEnvelope event) {
        if (event.isBinary()) {
            throw new UnrecoverableException(
                    "The payload of event " + event.eventId() + " is binary; the listener must take byte[]");
        }
        return event.payloadJson();
    }

    Object of(EventEnvelope event, DeliveryInfo info) {
        return value.apply(event, info);
    }
}
