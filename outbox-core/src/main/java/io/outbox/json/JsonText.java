package io.outbox.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * JSON without a library, for the parts of the outbox that have none: it reads objects, arrays and scalars, and quotes
 * texts. Of equal names in an object the last counts. Characters below the blank may stand in texts unescaped.
 */
public final class JsonText {

    private static final int DEEPEST = 32;

    /** A text that is no JSON. */
    public static final class MalformedException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        private final int position;

        private MalformedException(int position, String problem) {
            super(problem + " at position " + position);
            this.position = position;
        }

        /** Returns where the reading ended, counted from 0. */
        public int position() {
            return position;
        }
    }

    private final String text;
    private final Function<String, Object> numbers;
    private int position;
    private int depth;

    private JsonText(String text, Function<String, Object> numbers) {
        this.text = text;
        this.numbers = numbers;
    }

    /**
     * Reads a value: a {@code Map<String, Object>}, a {@code List<Object>}, a text, a number, a flag or {@code null}.
     *
     * @param numbers makes a number of its text; throws {@link IllegalArgumentException} if that is none
     * @throws MalformedException if the text is no JSON
     */
    public static @Nullable Object read(String text, Function<String, Object> numbers) {
        JsonText json = new JsonText(text, numbers);
        Object value = json.value();
        if (json.peek() != 0) {
            throw json.malformed("text behind the end");
        }
        return value;
    }

    /** Appends a text in quotes. Control characters and surrogates are escaped, and what else the caller says. */
    public static void quote(String text, StringBuilder out, IntPredicate isEscaped) {
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
                    if (c < ' ' || Character.isSurrogate(c) || isEscaped.test(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private @Nullable Object value() {
        return switch (peek()) {
            case '{' -> nested(this::object);
            case '[' -> nested(this::array);
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Object nested(Supplier<Object> part) {
        if (++depth > DEEPEST) {
            throw malformed("nested too deeply");
        }
        position++;
        Object value = part.get();
        depth--;
        return value;
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (accept('}')) {
            return fields;
        }
        do {
            if (peek() != '"') {
                throw malformed("'\"' expected");
            }
            String name = string();
            expect(':');
            fields.put(name, value());
        } while (accept(','));
        expect('}');
        return fields;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        if (accept(']')) {
            return items;
        }
        do {
            items.add(value());
        } while (accept(','));
        expect(']');
        return items;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        for (position++; position < text.length(); ) {
            char c = text.charAt(position++);
            if (c == '"') {
                return string.toString();
            }
            string.append(c == '\\' ? escaped() : c);
        }
        throw malformed("unterminated text");
    }

    private char escaped() {
        char c = position < text.length() ? text.charAt(position++) : 0;
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
        int end = position + 4;
        if (end > text.length() || !text.substring(position, end).matches("[0-9a-fA-F]{4}")) {
            throw malformed("unknown escape");
        }
        position = end;
        return (char) Integer.parseInt(text.substring(end - 4, end), 16);
    }

    private @Nullable Object literal(String word, @Nullable Object value) {
        if (!text.startsWith(word, position)) {
            throw malformed("value expected");
        }
        position += word.length();
        return value;
    }

    private Object number() {
        int start = position;
        while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        try {
            return numbers.apply(text.substring(start, position));
        } catch (IllegalArgumentException e) {
            throw malformed("value expected");
        }
    }

    /** Skips white space and returns the next character, or 0 at the end. */
    private char peek() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        return position < text.length() ? text.charAt(position) : 0;
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

    private MalformedException malformed(String problem) {
        return new MalformedException(position, problem);
    }
}
