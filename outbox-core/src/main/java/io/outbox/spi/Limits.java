package io.outbox.spi;

import java.time.Duration;
import java.util.Objects;

/** Checks of numbers and durations. What breaks a rule is refused with its name, the rule and the value. */
public final class Limits {

    private Limits() {}

    public static int atLeastOne(int value, String name) {
        return (int) atLeastOne((long) value, name);
    }

    public static long atLeastOne(long value, String name) {
        require(value >= 1, value, name, "must be at least 1");
        return value;
    }

    public static long notNegative(long value, String name) {
        require(value >= 0, value, name, "must not be negative");
        return value;
    }

    public static Duration notNegative(Duration value, String name) {
        require(!Objects.requireNonNull(value, name).isNegative(), value, name, "must not be negative");
        return value;
    }

    public static Duration positive(Duration value, String name) {
        require(Objects.requireNonNull(value, name).compareTo(Duration.ZERO) > 0, value, name, "must be positive");
        return value;
    }

    public static Duration atLeastAMillisecond(Duration value, String name) {
        require(Objects.requireNonNull(value, name).toMillis() >= 1, value, name, "must be at least 1 ms");
        return value;
    }

    private static void require(boolean fulfilled, Object value, String name, String rule) {
        if (!fulfilled) {
            throw new IllegalArgumentException(name + " " + rule + ": " + value);
        }
    }
}
