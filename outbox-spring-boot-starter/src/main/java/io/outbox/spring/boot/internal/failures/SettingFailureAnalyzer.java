package io.outbox.spring.boot.internal.failures;

import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Shows settings of the outbox that are missing, or made by code or below the key: Spring Boot itself shows those whose
 * key has a value.
 */
final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationPropertyValueException> {

    private final Environment environment;

    SettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidConfigurationPropertyValueException cause) {
        String key = cause.getName();
        if (!key.startsWith("outbox.") || hasAValue(key)) {
            return null;
        }
        Object value = cause.getValue();
        return new FailureAnalysis(
                "Property " + key + (value == null ? ", which is not set, " : " with value '" + value + "' ")
                        + "is invalid: " + cause.getReason(),
                "Update your application's configuration of " + key + ", or of what the reason names.",
                cause);
    }

    private boolean hasAValue(String key) {
        return environment instanceof ConfigurableEnvironment configurable
                && configurable.getPropertySources().stream()
                        .filter(source -> !ConfigurationPropertySources.isAttachedConfigurationPropertySource(source))
                        .anyMatch(source -> source.containsProperty(key));
    }
}
