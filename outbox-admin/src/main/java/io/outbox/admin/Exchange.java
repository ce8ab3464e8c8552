package io.outbox.admin;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A request on its way to a handler, with what is read from it. What is wrong about a value is a {@link Problem} that
 * names the field.
 *
 * @param slot where the body is, if it is asked for
 */
record Exchange(AdminRequest request, Routes.Match match, Caller caller, Bodies.Slot slot) {

    private static final int LONGEST_ID = 36;
    private static final Pattern ID =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}");
    private static final int LONGEST_TEXT = 256;

    /** Not all databases know times beyond these. */
    private static final Instant FIRST_TIME = Instant.parse("1970-01-01T00:00:00Z");

    static final Instant LAST_TIME = Instant.parse("9999-12-31T23:59:59Z");
    private static final String FILTER = "filter.";
    private static final String TIME_RULE = "must be a time like 2025-06-01T12:00:00Z, of the years 1970 to 9999";
    private static final int MOST_IDS = 1000;
    private static final int USUAL_BODY = 128 * 1024;
    private static final Pattern JSON = Pattern.compile("(?i)application/([a-z.+-]+\\+)?json(;.*)?");

    /** Returns the value of a variable part of the path. */
    String path(String name) {
        return match.path().get(name);
    }

    /** Returns a parameter of the query, or {@code null}. */
    String param(String name) {
        List<String> values = request.target().query().get(name);
        if (values == null || values.get(0).isEmpty()) {
            return null;
        }
        if (values.size() > 1) {
            throw Problem.invalid(name, "must be given once");
        }
        return plain(name, values.get(0));
    }

    private static String plain(String name, String value) {
        if (value.length() > LONGEST_TEXT
                || value.chars().anyMatch(Character::isISOControl)
                || !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw Problem.invalid(
                    name, "must have at most " + LONGEST_TEXT + " characters, none of which is a control character");
        }
        return value;
    }

    int number(String name, int defaultValue, int least, int most) {
        String value = param(name);
        if (value == null) {
            return defaultValue;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw Problem.invalid(name, "must be a number from " + least + " to " + most);
        }
        throw Problem.invalid(name, "must be a number from " + least + " to " + most);
    }

    Instant time(String name) {
        return time(name, param(name));
    }

    private static Instant time(String name, String value) {
        try {
            Instant time = value == null ? null : Instant.parse(value);
            if (time == null || (!time.isBefore(FIRST_TIME) && !time.isAfter(LAST_TIME))) {
                return time;
            }
        } catch (DateTimeParseException e) {
            throw Problem.invalid(name, TIME_RULE);
        }
        throw Problem.invalid(name, TIME_RULE);
    }

    <E extends Enum<E>> E choice(String name, Class<E> type) {
        String value = param(name);
        return value == null ? null : choice(name, value, type);
    }

    static <E extends Enum<E>> E choice(String name, Object value, Class<E> type) {
        if (value instanceof String text) {
            for (E each : type.getEnumConstants()) {
                if (each.name().equalsIgnoreCase(text.strip())) {
                    return each;
                }
            }
        }
        throw Problem.invalid(name, "must be one of " + List.of(type.getEnumConstants()));
    }

    /** Returns the event id in the path, which must be a UUID or a ULID. */
    String id() {
        return id("id", path("id"));
    }

    /** Returns the event id in the path, which may be any that an application has chosen. */
    String anyId() {
        String id = path("id");
        if (id.length() > LONGEST_ID) {
            throw Problem.invalid("id", "must have at most " + LONGEST_ID + " characters");
        }
        return plain("id", id);
    }

    private static String id(String name, String id) {
        if (!ID.matcher(id).matches()) {
            throw Problem.invalid(name, "must be a UUID or a ULID");
        }
        return id;
    }

    /** Reads the JSON object that was sent. */
    Map<String, Object> body() {
        return body(USUAL_BODY);
    }

    /** Reads the JSON object that was sent, with texts of any length in it. */
    Map<String, Object> largeBody() {
        return body(AdminRequest.MAX_BODY_BYTES);
    }

    private Map<String, Object> body(int most) {
        String type = request.header("Content-Type");
        if (type == null || !JSON.matcher(type.strip()).matches()) {
            throw Problem.unsupportedMediaType();
        }
        Map<String, Object> body = Json.object(slot.read(request, most));
        Set<String> unknown = new TreeSet<>(body.keySet());
        unknown.removeAll(match.call().names());
        if (!unknown.isEmpty()) {
            throw Problem.unknown("", unknown);
        }
        return body;
    }

    /** Returns the event ids that were sent, which must be UUIDs or ULIDs. */
    static List<String> ids(Map<String, Object> body) {
        List<String> ids = anyIds(body);
        ids.forEach(id -> id("ids", id));
        return ids;
    }

    /** Returns the event ids that were sent, which may be any that an application has chosen. */
    static List<String> anyIds(Map<String, Object> body) {
        if (!(body.get("ids") instanceof List<?> values) || values.isEmpty() || values.size() > MOST_IDS) {
            throw Problem.invalid("ids", "must be a list of 1 to " + MOST_IDS + " event ids");
        }
        LinkedHashSet<String> ids = new LinkedHashSet<>();
        for (Object value : values) {
            if (!(value instanceof String id)) {
                throw Problem.invalid("ids", "must be a list of texts");
            }
            if (id.isEmpty() || id.length() > LONGEST_ID) {
                throw Problem.invalid("ids", "must have 1 to " + LONGEST_ID + " characters each");
            }
            ids.add(plain("ids", id));
        }
        return new ArrayList<>(ids);
    }

    /** Returns a flag that was sent; {@code false} if it was not. */
    static boolean flag(Map<String, Object> body, String name) {
        Object value = body.getOrDefault(name, false);
        if (!(value instanceof Boolean flag)) {
            throw Problem.invalid(name, "must be true or false");
        }
        return flag;
    }

    /** Returns a text of any length that was sent, or {@code null}. */
    static String text(Map<String, Object> body, String name) {
        return text(name, body.get(name));
    }

    private static String text(String name, Object value) {
        if (value != null && !(value instanceof String)) {
            throw Problem.invalid(name, "must be a text");
        }
        return (String) value;
    }

    /** Returns a text of a filter that was sent, or {@code null}. */
    static String filterText(Map<String, Object> filter, String name) {
        String value = text(FILTER + name, filter.get(name));
        return value == null ? null : plain(FILTER + name, value);
    }

    static Instant filterTime(Map<String, Object> filter, String name) {
        return time(FILTER + name, filterText(filter, name));
    }
}
