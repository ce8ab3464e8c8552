package io.outbox.admin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The part of an address behind the question mark. */
final class Query {

    private static final Pattern TILDE = Pattern.compile("~[0-9a-fA-F]{2}");

    private Query() {}

    static Map<String, List<String>> parse(String rawQuery) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        if (rawQuery == null || rawQuery.isEmpty()) {
            return values;
        }
        for (String pair : rawQuery.split("&")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            values.computeIfAbsent(lenient(name), each -> new ArrayList<>()).add(lenient(value));
        }
        return values;
    }

    /** Leaves what is not encoded as it should be as it is; no value is found by it. */
    private static String lenient(String text) {
        try {
            return decode(text);
        } catch (Problem e) {
            return text;
        }
    }

    /**
     * Decodes bytes that are written as {@code ~2F} instead of {@code %2F}: servers refuse some of the latter in a path
     * before anybody else sees them.
     */
    static String decodeTildes(String text) {
        return TILDE.matcher(text).find()
                ? decode(text.replace("%", "%25").replace("+", "%2B").replace("~", "%"))
                : text;
    }

    static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Problem.badRequest("The address is not encoded as addresses are");
        }
    }
}
