package io.outbox.spring.boot.internal.listeners;

import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.spi.JsonCodec;
import java.lang.reflect.Type;
import java.util.function.BiFunction;
import org.springframework.core.ResolvableType;

/**
 * One argument of a method that takes events.
 *
 * @param read what the codec reads payloads as, or {@code null} if it has nothing to read
 * @param value what is passed for an event
 */
record ListenerArgument(Kind kind, Type read, BiFunction<EventEnvelope, DeliveryInfo, Object> value) {

    enum Kind {
        EVENT,
        INFO,
        PAYLOAD
    }

    static ListenerArgument of(ResolvableType type) {
        Class<?> raw = type.resolve();
        if (raw == EventEnvelope.class) {
            return new ListenerArgument(Kind.EVENT, null, (event, info) -> event);
        }
        if (raw == DeliveryInfo.class) {
            return new ListenerArgument(Kind.INFO, null, (event, info) -> info);
        }
        return payload(raw, type.getType());
    }

    /** Returns the argument with a payload of this class, if that is what it is. */
    ListenerArgument readAs(Class<?> payload) {
        return kind == Kind.PAYLOAD ? payload(payload, payload) : this;
    }

    /** Text and bytes come as they were written, everything else as the codec reads it. */
    private static ListenerArgument payload(Class<?> raw, Type type) {
        if (raw == String.class) {
            return new ListenerArgument(Kind.PAYLOAD, null, (event, info) -> text(event));
        }
        if (raw == byte[].class) {
            return new ListenerArgument(Kind.PAYLOAD, null, (event, info) -> event.payloadBytes());
        }
        return new ListenerArgument(
                Kind.PAYLOAD,
                type,
                type instanceof Class<?> simple
                        ? (event, info) -> event.payload(simple)
                        : (event, info) -> event.payload(type));
    }

    /** @throws ListenerMistake if the codec can read no payload as what is wanted here */
    void requireReadableBy(JsonCodec codec) {
        if (read == null) {
            return;
        }
        try {
            codec.requireReadable(read);
        } catch (IllegalArgumentException e) {
            throw new ListenerMistake(
                    "every event would go DEAD. " + e.getMessage(),
                    "Make " + read.getTypeName()
                            + " a record; or give it a constructor that the mapper can call, without"
                            + " parameters or with @JsonCreator; for Kotlin add jackson-module-kotlin");
        }
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
