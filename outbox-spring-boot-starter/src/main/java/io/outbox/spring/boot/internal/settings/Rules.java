package io.outbox.spring.boot.internal.settings;

import io.outbox.jdbc.TableNames;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** What the checks of settings have in common. A violation names the key, the value and the rule. */
public final class Rules {

    private static final Duration LEAST = Duration.ofMillis(1);

    private Rules() {}

    public static void require(boolean fulfilled, String key, Object value, String rule) {
        if (!fulfilled) {
            throw new InvalidConfigurationPropertyValueException(key, value, rule);
        }
    }

    static void tableName(String key, String value) {
        require(value != null, key, null, "must be set");
        try {
            TableNames.validate(value);
        } catch (IllegalArgumentException e) {
            require(false, key, value, e.getMessage());
        }
    }

    static void atLeast(long least, String key, long value) {
        require(value >= least, key, value, "must be at least " + least);
    }

    static void positive(String key, Duration value) {
        require(value != null && value.compareTo(LEAST) >= 0, key, value, "must be at least one millisecond");
    }

    static void notNegative(String key, Duration value) {
        require(value != null && !value.isNegative(), key, value, "must be set and not be negative");
    }

    static void wholeSeconds(String key, Duration value) {
        require(
                value != null && value.toSeconds() >= 1 && value.equals(Duration.ofSeconds(value.toSeconds())),
                key,
                value,
                "must be a whole number of seconds, at least 1");
    }
}
