package io.outbox.spring.boot.internal.settings;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** How settings are refused: a violation names the key, the value and the rule. */
public final class Rules {

    private Rules() {}

    public static void require(boolean fulfilled, String key, Object value, String rule) {
        if (!fulfilled) {
            throw new InvalidConfigurationPropertyValueException(key, value, rule);
        }
    }
}
