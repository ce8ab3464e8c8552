package io.outbox.spring.boot.consumer.brokers;

import io.outbox.OutboxHeaders;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.UnmappedEventTypeException;
import io.outbox.spring.boot.consumer.ConsumerKeys;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads the payloads of events as objects of the classes that their types are mapped to. Immutable and thread-safe. */
final class EventPayloads {

    private static final Set<Type> AS_THEY_ARE = Set.of(String.class, byte[].class, CharSequence.class);

    private final Map<String, Class<?>> mappings;
    private final JsonCodec codec;

    EventPayloads(Map<String, Class<?>> mappings, JsonCodec codec) {
        this.mappings = Map.copyOf(mappings);
        this.codec = codec;
    }

    /** Returns whether a listener that wants this type is given payloads as they came. */
    public static boolean isAsItCame(Type wanted) {
        return wanted != null && AS_THEY_ARE.contains(wanted);
    }

    public boolean isMapped(String eventType) {
        return mappings.containsKey(eventType);
    }

    /**
     * Reads a payload.
     *
     * @param payload text or bytes; anything else has been read by others and is returned as it is
     * @param wanted what the listener wants; {@code null} if it does not say
     */
    public Object read(String eventType, Object payload, Type wanted) {
        if (payload instanceof byte[] bytes) {
            return read(eventType, new String(bytes, StandardCharsets.UTF_8), wanted);
        }
        return payload instanceof String text ? codec.fromJson(text, (Type) typeOf(eventType, wanted)) : payload;
    }

    private Class<?> typeOf(String eventType, Type wanted) {
        Class<?> type = mappings.get(eventType);
        if (type == null) {
            throw new UnmappedEventTypeException(
                    eventType,
                    "The event type " + eventType + " in the header " + OutboxHeaders.EVENT_TYPE.getValue()
                            + " is mapped to no class, so its payload cannot be read; mapped are "
                            + new TreeSet<>(mappings.keySet()) + ". Set " + ConsumerKeys.ofMapping(eventType));
        }
        if (wanted instanceof Class<?> parameter && !parameter.isAssignableFrom(type)) {
            throw new IllegalArgumentException("The event type " + eventType + " is mapped to " + type.getName()
                    + ", but the listener takes " + parameter.getName() + "; change "
                    + ConsumerKeys.ofMapping(eventType)
                    + ", or let the listener take what all its event types have in common");
        }
        return type;
    }
}
