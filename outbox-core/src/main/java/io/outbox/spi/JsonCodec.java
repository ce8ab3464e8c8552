package io.outbox.spi;

import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns payload objects into JSON and back. Implementations are thread-safe. */
public interface JsonCodec {

    /**
     * Returns the codec set by {@link #setDefault}, or else the first one that {@link java.util.ServiceLoader} finds.
     *
     * @throws IllegalStateException if there is none
     */
    static JsonCodec getDefault() {
        return JsonCodecHolder.get();
    }

    /** Makes {@code codec} the default for this JVM; {@code null} returns to discovery. */
    static void setDefault(@Nullable JsonCodec codec) {
        JsonCodecHolder.set(codec);
    }

    String toJson(Object obj);

    /**
     * Reads an object from JSON.
     *
     * @throws io.outbox.PayloadParseException if the text does not fit the type
     */
    <T> T fromJson(String json, Class<T> type);

    /**
     * Reads an object of a type that may have parameters, such as {@code List<Order>}.
     *
     * @throws io.outbox.PayloadParseException if the text does not fit the type
     * @throws UnsupportedOperationException if the type is no class, and this codec does not implement this method
     */
    @SuppressWarnings("unchecked")
    default <T> T fromJson(String json, Type type) {
        if (type instanceof Class<?> plain) {
            return (T) fromJson(json, plain);
        }
        throw new UnsupportedOperationException(getClass().getName() + " reads classes only, not " + type.getTypeName()
                + ": implement JsonCodec.fromJson(String, Type) there");
    }

    /**
     * Checks that there can be objects of this type, so that a class that no payload can be read as is found when an
     * application starts, and not with its first event. A codec that cannot tell accepts every type, as this default
     * does.
     *
     * @throws IllegalArgumentException if no payload at all can be read as this type; the message says what is missing
     */
    default void requireReadable(Type type) {}

    /** Reads a JSON object of strings; no text, a blank one and the JSON null give an empty map. */
    default Map<String, @Nullable String> parseStringMap(@Nullable String json) {
        if (json == null || json.isBlank() || json.strip().equals("null")) {
            return Map.of();
        }
        Map<String, @Nullable String> strings = new LinkedHashMap<>();
        Map<?, ?> parsed = fromJson(json, Map.class);
        parsed.forEach((name, value) -> strings.put(String.valueOf(name), value == null ? null : value.toString()));
        return strings;
    }
}
