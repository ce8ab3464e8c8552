package io.outbox.spring.boot;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/** Which settings the application has made, as opposed to those it leaves to their defaults. */
final class ExplicitSettings {

    private final Environment environment;

    ExplicitSettings(Environment environment) {
        this.environment = environment;
    }

    /** Returns whether the application sets this key. */
    boolean has(String key) {
        return Binder.get(environment).bind(key, Bindable.of(String.class)).isBound();
    }

    /** Returns whether the application sets this key or one below it. */
    boolean hasAnyBelow(String prefix) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix);
        for (var source : ConfigurationPropertySources.get(environment)) {
            if (source.getConfigurationProperty(name) != null
                    || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                return true;
            }
        }
        return false;
    }
}
