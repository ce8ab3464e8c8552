package io.outbox;

import java.util.Objects;

/** Argument checks whose messages name the argument, the rule and the value. */
final class Check {

    private Check() {}

    static String notBlank(String value, String name) {
        Objects.requireNonNull(value, name);
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank");
        }
        return value;
    }

    /**
     * Checks that a value fits its column: not too long, and of characters that every store gives back as they were.
     */
    static String atMost(String value, int maxLength, String name) {
        if (value.length() > maxLength) {
            throw new IllegalArgumentException(
                    name + " must have at most " + maxLength + " characters, but has " + value.length());
        }
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(name + " must not contain the NUL character");
        }
        if (hasUnpairedSurrogate(value)) {
            throw new IllegalArgumentException(
                    name + " must not contain an unpaired surrogate, which UTF-8 cannot express");
        }
        return value;
    }

    private static boolean hasUnpairedSurrogate(String value) {
        return value.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}
