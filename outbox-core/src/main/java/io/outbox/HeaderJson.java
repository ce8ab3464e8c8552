package io.outbox;

import io.outbox.json.JsonText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Headers as a flat JSON object of strings.
 *
 * <p>Reading is a little more generous than writing: numbers and booleans, which another writer may have stored, come
 * back as their text. Nested values are refused.
 */
final class HeaderJson {

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

    private HeaderJson() {}

    static String write(Map<String, @Nullable String> headers) {
        StringBuilder out = new StringBuilder("{");
        headers.forEach((name, value) -> {
            if (out.length() > 1) {
                out.append(',');
            }
            quote(out, name).append(':');
            if (value == null) {
                out.append("null");
            } else {
                quote(out, value);
            }
        });
        return out.append('}').toString();
    }

    private static StringBuilder quote(StringBuilder out, String text) {
        JsonText.quote(text, out, c -> false);
        return out;
    }

    /** Reads a headers column into a new map; no text, a blank one and the JSON null are an empty one. */
    static Map<String, @Nullable String> parse(String eventId, @Nullable String json) {
        Map<String, @Nullable String> headers = new LinkedHashMap<>();
        if (json == null || json.isBlank()) {
            return headers;
        }
        try {
            Object read = JsonText.read(json, HeaderJson::number);
            if (read instanceof Map<?, ?> fields) {
                fields.forEach((name, value) -> headers.put((String) name, text(value)));
            } else if (read != null) {
                throw new IllegalArgumentException("no object");
            }
        } catch (IllegalArgumentException e) {
            throw new PayloadParseException("event " + eventId + ": malformed headers: " + e.getMessage()
                    + " (a JSON object of strings is required)");
        }
        return headers;
    }

    private static String number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    private static @Nullable String text(@Nullable Object value) {
        if (value instanceof Map || value instanceof Iterable) {
            throw new IllegalArgumentException("a header value must be a string");
        }
        return value == null ? null : value.toString();
    }
}
