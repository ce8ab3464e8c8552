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

    /** Checks that a value fits its column: not too long, and without the NUL character, which databases refuse. */
    static String atMost(String value, int maxLength, String name) {
        if (value != null && value.length() > maxLength) {
            throw new IllegalArgumentException(
                    name + " must have at most " + maxLength + " characters, but has " + value.length());
        }
        if (value != null && value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(name + " must not contain the NUL character");
        }
        return value;
    }
}
