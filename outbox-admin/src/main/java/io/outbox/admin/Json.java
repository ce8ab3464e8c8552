package io.outbox.admin;

import io.outbox.json.JsonText;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Writes records, maps, collections, texts, numbers, flags and times as JSON. A record is an object whose fields are
 * its components. What HTML would make something of is escaped. Reads objects of requests.
 */
final class Json {

    /** A record whose fields are fields of the record that it is in. */
    interface Part {}

    /** A field that may be null. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    @interface Nullable {}

    /** A field that is left out rather than null. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    @interface Optional {}

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d{1,3})?");

    private static final ClassValue<RecordComponent[]> COMPONENTS = new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            for (RecordComponent component : components) {
                component.getAccessor().setAccessible(true);
            }
            return components;
        }
    };

    private Json() {}

    static byte[] bytes(Object value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }

    static String text(Object value) {
        StringBuilder json = new StringBuilder();
        write(value, json);
        return json.toString();
    }

    private static void write(Object value, StringBuilder json) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            json.append(value);
        } else if (value instanceof Record object) {
            json.append('{');
            writeFields(object, json, "");
            json.append('}');
        } else if (value instanceof Map<?, ?> map) {
            writeObject(map, json);
        } else if (value instanceof Collection<?> items) {
            writeArray(items.iterator(), json);
        } else if (value instanceof String || value instanceof Instant || value instanceof Enum<?>) {
            writeText(value.toString(), json);
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    /** Returns what separates the next field. */
    private static String writeFields(Record object, StringBuilder json, String separator) {
        String next = separator;
        for (RecordComponent component : COMPONENTS.get(object.getClass())) {
            Object value = value(object, component);
            if (value instanceof Part) {
                next = writeFields((Record) value, json, next);
            } else if (value != null || !component.isAnnotationPresent(Optional.class)) {
                json.append(next);
                writeText(component.getName(), json);
                json.append(':');
                write(value, json);
                next = ",";
            }
        }
        return next;
    }

    private static Object value(Record object, RecordComponent component) {
        try {
            return component.getAccessor().invoke(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static void writeObject(Map<?, ?> map, StringBuilder json) {
        json.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            json.append(separator);
            writeText(String.valueOf(entry.getKey()), json);
            json.append(':');
            write(entry.getValue(), json);
            separator = ",";
        }
        json.append('}');
    }

    private static void writeArray(Iterator<?> items, StringBuilder json) {
        json.append('[');
        String separator = "";
        while (items.hasNext()) {
            json.append(separator);
            write(items.next(), json);
            separator = ",";
        }
        json.append(']');
    }

    private static void writeText(String text, StringBuilder json) {
        JsonText.quote(text, json, c -> "<>&\u007f\u2028\u2029".indexOf(c) >= 0);
    }

    /**
     * Reads an object.
     *
     * @throws Problem if the bytes are none
     */
    static Map<String, Object> object(byte[] json) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(json))
                    .toString();
            if (JsonText.read(text, Json::number) instanceof Map<?, ?> map) {
                Map<String, Object> object = new LinkedHashMap<>();
                map.forEach((name, value) -> object.put((String) name, value));
                return object;
            }
        } catch (CharacterCodingException e) {
            throw Problem.badRequest("The body is not UTF-8");
        } catch (JsonText.MalformedException e) {
            throw Problem.badRequest("The body is not JSON: look at character " + (e.position() + 1));
        }
        throw Problem.badRequest("The body must be a JSON object");
    }

    private static BigDecimal number(String text) {
        if (text.length() > 40 || !NUMBER.matcher(text).matches()) {
            throw new NumberFormatException(text);
        }
        return new BigDecimal(text);
    }
}
