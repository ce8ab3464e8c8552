package io.outbox;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Headers as a flat JSON object of strings, without a JSON library.
 *
 * <p>Reading is a little more generous than writing: numbers and booleans, which another writer may have stored, come
 * back as their text. Nested values are refused.
 */
final class HeaderJson {

    private final String eventId;
    private final String json;
    private int position;

    private HeaderJson(String eventId, String json) {
        this.eventId = eventId;
        this.json = json;
    }

    static String write(Map<String, String> headers) {
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

    /** Reads a headers column; {@code null}, blank and the JSON null are an empty map. */
    static Map<String, String> parse(String eventId, String json) {
        if (json == null || json.isBlank() || json.strip().equals("null")) {
            return Map.of();
        }
        return new HeaderJson(eventId, json).object();
    }

    private static StringBuilder quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || Character.isSurrogate(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.append('"');
    }

    private Map<String, String> object() {
        Map<String, String> headers = new LinkedHashMap<>();
        expect('{');
        if (peek() != '}') {
            do {
                String name = string();
                expect(':');
                headers.put(name, value());
            } while (accept(','));
        }
        expect('}');
        if (peek() != 0) {
            throw malformed("text after the closing brace");
        }
        return headers;
    }

    private String value() {
        char c = peek();
        if (c == '"') {
            return string();
        }
        int start = position;
        while (position < json.length() && ",}[]{\" \t\r\n".indexOf(json.charAt(position)) < 0) {
            position++;
        }
        String scalar = json.substring(start, position);
        if (scalar.equals("null")) {
            return null;
        }
        if (!scalar.matches("true|false|-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw malformed("a header value must be a string");
        }
        return scalar;
    }

    private String string() {
        expect('"');
        StringBuilder text = new StringBuilder();
        while (position < json.length()) {
            char c = json.charAt(position++);
            if (c == '"') {
                return text.toString();
            }
            text.append(c == '\\' ? escape() : c);
        }
        throw malformed("unterminated string");
    }

    private char escape() {
        if (position >= json.length()) {
            throw malformed("unterminated escape");
        }
        char c = json.charAt(position++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw malformed("unknown escape");
        };
    }

    private char unicode() {
        if (position + 4 > json.length()) {
            throw malformed("unterminated escape");
        }
        String hex = json.substring(position, position + 4);
        if (!hex.matches("[0-9a-fA-F]{4}")) {
            throw malformed("unknown escape");
        }
        position += 4;
        return (char) Integer.parseInt(hex, 16);
    }

    /** Skips white space and returns the next character, or 0 at the end. */
    private char peek() {
        while (position < json.length() && Character.isWhitespace(json.charAt(position))) {
            position++;
        }
        return position < json.length() ? json.charAt(position) : 0;
    }

    private boolean accept(char expected) {
        if (peek() != expected) {
            return false;
        }
        position++;
        return true;
    }

    private void expect(char expected) {
        if (!accept(expected)) {
            throw malformed("'" + expected + "' expected");
        }
    }

    private PayloadParseException malformed(String problem) {
        return new PayloadParseException("event " + eventId + ": malformed headers at position " + position + ": "
                + problem + " (a JSON object of strings is required)");
    }
}
