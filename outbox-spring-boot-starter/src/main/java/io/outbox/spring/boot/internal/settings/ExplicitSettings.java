package io.outbox.spring.boot.internal.settings;

import static java.util.function.Predicate.not;

import java.util.List;
import java.util.Optional;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/** Which settings the application has made, as opposed to those it leaves to their defaults. */
public final class ExplicitSettings {

    private final Iterable<ConfigurationPropertySource> sources;
    private final Binder binder;

    public ExplicitSettings(Environment environment) {
        this(ConfigurationPropertySources.get(environment), Binder.get(environment));
    }

    private ExplicitSettings(Iterable<ConfigurationPropertySource> sources, Binder binder) {
        this.sources = sources;
        this.binder = binder;
    }

    /** Returns the settings of an outbox whose properties are made by code: of none is known that it was made. */
    static ExplicitSettings none() {
        return new ExplicitSettings(List.of(), new Binder(List.of()));
    }

    /**
     * Returns whether the application sets this key. A blank value sets nothing: it comes from a variable that is
     * empty.
     */
    public boolean has(String key) {
        return value(key, String.class).filter(not(String::isBlank)).isPresent();
    }

    /** Returns what the application sets this key to. */
    public <T> Optional<T> value(String key, Class<T> type) {
        BindResult<T> bound = binder.bind(key, Bindable.of(type));
        return bound.isBound() ? Optional.of(bound.get()) : Optional.empty();
    }

    /** Returns whether a setting is true. */
    public boolean is(String key, boolean byDefault) {
        return value(key, Boolean.class).orElse(byDefault);
    }

    /** Returns whether the application has a consumer. */
    boolean consumes() {
        return is(OutboxKeys.CONSUMER, false);
    }

    /** Returns whether the application consumes and does nothing else, so that it needs no outbox. */
    public boolean isConsumerOnly() {
        return consumes() && !is(PublisherKeys.ENABLED, true) && !has(OutboxKeys.MODE);
    }

    /** Returns whether the application sets this key or one below it. */
    public boolean hasAnyBelow(String prefix) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix);
        for (ConfigurationPropertySource source : sources) {
            if (source.getConfigurationProperty(name) != null
                    || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                return true;
            }
        }
        return false;
    }
}
