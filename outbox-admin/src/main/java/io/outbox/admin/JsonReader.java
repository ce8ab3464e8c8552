package io.outbox.admin;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, texts, numbers, flags and {@code null}. What is none is a {@link Problem}. */
final class JsonReader {

    private static final int DEEPEST = 32;

    private final String text;
    private int position;
    private int depth;

    private JsonReader(String text) {
        this.text = text;
    }

    /** Reads an object. */
    static Map<String, Object> object(byte[] json) {
        if (new JsonReader(decode(json)).whole() instanceof Map<?, ?> map) {
            Map<String, Object> object = new LinkedHashMap<>();
            map.forEach((name, value) -> object.put((String) name, value));
            return object;
        }
        throw Problem.badRequest("The body must be a JSON object");
    }

    private static String decode(byte[] json) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(json))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Problem.badRequest("The body is not UTF-8");
        }
    }

    private Object whole() {
        Object value = value();
        skipBlanks();
        if (position < text.length()) {
            throw malformed();
        }
        return value;
    }

    private Object value() {
        skipBlanks();
        return switch (peek()) {
            case '{' -> nested(this::map);
            case '[' -> nested(this::list);
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private interface Part {
        Object read();
    }

    private Object nested(Part part) {
        if (++depth > DEEPEST) {
            throw malformed();
        }
        position++;
        Object value = part.read();
        depth--;
        return value;
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        if (ends('}')) {
            return map;
        }
        while (true) {
            skipBlanks();
            if (peek() != '"') {
                throw malformed();
            }
            String name = string();
            skipBlanks();
            expect(':');
            map.put(name, value());
            if (ends('}')) {
                return map;
            }
            expect(',');
        }
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        if (ends(']')) {
            return list;
        }
        while (true) {
            list.add(value());
            if (ends(']')) {
                return list;
            }
            expect(',');
        }
    }

    private boolean ends(char end) {
        skipBlanks();
        if (peek() == end) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw malformed();
        }
        position++;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        position++;
        while (peek() != '"') {
            char c = text.charAt(position++);
            if (c < 0x20) {
                throw malformed();
            }
            string.append(c == '\\' ? escaped() : c);
        }
        position++;
        return string.toString();
    }

    private char escaped() {
        char c = peek();
        position++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw malformed();
        };
    }

    private char unicode() {
        if (position + 4 > text.length()
                || !text.substring(position, position + 4).matches("[0-9a-fA-F]{4}")) {
            throw malformed();
        }
        position += 4;
        return (char) Integer.parseInt(text.substring(position - 4, position), 16);
    }

    private Object literal(String word, Object value) {
        if (!text.startsWith(word, position)) {
            throw malformed();
        }
        position += word.length();
        return value;
    }

    private Object number() {
        int start = position;
        while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        String number = text.substring(start, position);
        if (number.length() > 40 || !number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d{1,3})?")) {
            throw malformed();
        }
        return new BigDecimal(number);
    }

    private void skipBlanks() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private char peek() {
        if (position >= text.length()) {
            throw malformed();
        }
        return text.charAt(position);
    }

    private Problem malformed() {
        return Problem.badRequest("The body is not JSON: look at character " + (position + 1));
    }
}
