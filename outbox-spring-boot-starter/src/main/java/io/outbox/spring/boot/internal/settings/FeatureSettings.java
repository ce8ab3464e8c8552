package io.outbox.spring.boot.internal.settings;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * The settings of one feature of the starter. A setting is declared once, by its field in the properties: the name is
 * the key, the initial value the default, the Javadoc the description, from which the annotation processor makes the
 * metadata for editors, and {@code @Setting} says the rest. The properties are made known by a class
 *
 * <pre>{@code
 * final class PigeonSettings extends FeatureSettings {
 *
 *     PigeonSettings() {
 *         super("outbox.pigeons", PigeonProperties.class);
 *     }
 * }
 * }</pre>
 *
 * <p>which {@code META-INF/spring.factories} names under this type, so that they are known whether the feature is in
 * use or not. From that follows, for all features alike: two names with different values are refused, settings without
 * effect and keys that no feature has are warned of, and {@link #check} applies the rules. How several values fit
 * together is for the feature to check ({@link #checkTogether}).
 */
public abstract class FeatureSettings {

    /** Another name for a setting, and the value that it has there. */
    record OtherName(String key, Object value) {}

    private static final Pattern UNIFORM = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private final String prefix;
    private final Class<?> properties;
    private final Object defaults;
    private final List<DeclaredSetting> settings;

    protected FeatureSettings(String prefix, Class<?> properties) {
        this.prefix = prefix;
        this.properties = properties;
        this.defaults = defaultsOf(properties);
        this.settings = Declarations.of(properties, prefix + ".");
    }

    /** Returns the settings of every feature on the class path. */
    public static List<FeatureSettings> all() {
        return All.FEATURES;
    }

    /** Returns properties to which nothing is bound. */
    public static <T> T defaultsOf(Class<T> properties) {
        return new Binder(List.of()).bindOrCreate("nothing", properties);
    }

    /** Refuses a setting unless the rule is fulfilled, with its key, its value and the rule. */
    public static void require(boolean fulfilled, String key, Object value, String rule) {
        if (!fulfilled) {
            throw new InvalidConfigurationPropertyValueException(key, value, rule);
        }
    }

    /** Returns the key of an entry of a map, in brackets where its name would not survive without. */
    public static String ofEntry(String map, String name) {
        return map + (UNIFORM.matcher(name).matches() ? "." + name : "[" + name + "]");
    }

    /** Returns the values of properties by their keys; {@code null} for what has none. */
    public static Map<String, Object> values(Object properties) {
        Map<String, Object> values = new LinkedHashMap<>();
        Declarations.of(properties.getClass(), "")
                .forEach(setting -> values.put(setting.key(), setting.value().apply(properties)));
        return values;
    }

    /** Checks each value for itself, that a setting with two names has one value, and that the values fit together. */
    public static void check(Object properties, ExplicitSettings explicit) {
        of(properties).forEach(feature -> {
            feature.settings.forEach(setting -> setting.check(properties, feature.defaults, explicit));
            feature.checkTogether(properties);
        });
    }

    /** Returns what properties say by other names about settings of other features, by the keys of these. */
    static Map<String, OtherName> otherNames(Object... properties) {
        Map<String, OtherName> names = new HashMap<>();
        for (Object each : properties) {
            of(each).flatMap(feature -> feature.settings.stream())
                    .filter(setting -> !setting.meaning().isEmpty())
                    .forEach(setting -> names.put(
                            setting.meaning(),
                            new OtherName(setting.key(), setting.value().apply(each))));
        }
        return names;
    }

    /** Returns the key by which the application gives a setting, or the usual one if it does not. */
    static String chosenKey(String key, ExplicitSettings explicit) {
        return all().stream()
                .flatMap(feature -> feature.settings.stream())
                .filter(setting -> setting.key().equals(key))
                .map(setting -> setting.chosenKey(explicit))
                .findFirst()
                .orElseThrow();
    }

    private static Stream<FeatureSettings> of(Object properties) {
        return all().stream().filter(feature -> feature.properties.isInstance(properties));
    }

    /** Checks how several values fit together. Each of them fulfils its rule. */
    protected void checkTogether(Object properties) {}

    /**
     * Returns why a setting has no effect, or {@code null} if it has one, beyond the circumstances that its field
     * declares.
     *
     * @param hasOutbox false if the application only consumes
     */
    protected String whyNoEffect(String key, ExplicitSettings explicit, boolean hasOutbox) {
        return null;
    }

    /** Returns what all keys begin with. */
    public final String prefix() {
        return prefix;
    }

    /** Returns the class that the settings are bound to. */
    public final Class<?> properties() {
        return properties;
    }

    /** Returns properties to which nothing is bound. */
    public final Object defaults() {
        return defaults;
    }

    /** Returns the settings, but those of entries of maps. */
    final List<DeclaredSetting> settings() {
        return settings;
    }

    private static final class All {

        static final List<FeatureSettings> FEATURES = SpringFactoriesLoader.forDefaultResourceLocation(
                        FeatureSettings.class.getClassLoader())
                .load(FeatureSettings.class);
    }
}
