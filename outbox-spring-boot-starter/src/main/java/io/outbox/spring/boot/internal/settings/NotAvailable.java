package io.outbox.spring.boot.internal.settings;

import java.util.Map;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Refuses settings of parts that this version does not have. */
final class NotAvailable {

    private NotAvailable() {}

    /** Refuses the settings below the key, unless they say that the part is off. */
    static void refuse(String key, String part, Map<String, Object> settings) {
        Object enabled = settings.get("enabled");
        if (!settings.isEmpty() && !"false".equalsIgnoreCase(String.valueOf(enabled))) {
            throw new InvalidConfigurationPropertyValueException(
                    key + ".enabled",
                    enabled,
                    part + " is not available in this version, so settings below " + key + " would have no effect: set "
                            + key + ".enabled to false, or remove them: " + settings.keySet());
        }
    }
}
