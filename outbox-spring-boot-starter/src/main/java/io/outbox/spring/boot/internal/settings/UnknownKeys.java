package io.outbox.spring.boot.internal.settings;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Warns about keys below {@code outbox} that nobody reads, with the name that was probably meant. They are not refused: an
 * application may keep keys of its own there. Environment variables and system properties, which come from all kinds of
 * places, are left alone, as are parts that have properties of their own.
 */
public final class UnknownKeys {

    private static final System.Logger LOG = System.getLogger(UnknownKeys.class.getName());
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(OutboxKeys.PREFIX);
    /** How many letters may be wrong in a name. */
    private static final int MOST_MISTAKES = 3;

    private final Set<ConfigurationPropertyName> known = new HashSet<>();
    private final List<ConfigurationPropertyName> open = new ArrayList<>();

    private UnknownKeys(ListableBeanFactory beans) {
        Set<ConfigurationPropertyName> declared = new HashSet<>();
        for (FeatureSettings feature : FeatureSettings.all()) {
            declared.add(ConfigurationPropertyName.of(feature.prefix()));
            for (DeclaredSetting setting : feature.settings()) {
                setting.keys().map(ConfigurationPropertyName::of).forEach(known::add);
                if (setting.isOpen(feature.defaults())) {
                    open.add(ConfigurationPropertyName.of(setting.key()));
                }
            }
        }
        for (String bean : beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
            ConfigurationProperties part = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            ConfigurationPropertyName prefix = part == null ? null : ConfigurationPropertyName.ofIfValid(part.prefix());
            if (prefix != null && ROOT.isAncestorOf(prefix) && !declared.contains(prefix)) {
                open.add(prefix);
            }
        }
    }

    /** Warns about each key that nobody reads. */
    public static void warn(Environment environment, ListableBeanFactory beans) {
        UnknownKeys keys = new UnknownKeys(beans);
        for (String key : keys.unknown(environment)) {
            LOG.log(
                    Level.WARNING,
                    "{0} is no setting of the outbox, and has no effect{1}",
                    key,
                    keys.nearest(key)
                            .map(name -> "; did you mean " + name + "?")
                            .orElse(""));
        }
    }

    private Set<String> unknown(Environment environment) {
        UnboundElementsSourceFilter deliberate = new UnboundElementsSourceFilter();
        Set<String> unknown = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && deliberate.apply(source)) {
                names.stream()
                        .filter(ROOT::isAncestorOf)
                        .filter(name -> !isKnown(name))
                        .forEach(name -> unknown.add(name.toString()));
            }
        }
        return unknown;
    }

    private boolean isKnown(ConfigurationPropertyName name) {
        return known.contains(name) || open.stream().anyMatch(part -> part.equals(name) || part.isAncestorOf(name));
    }

    private Optional<String> nearest(String key) {
        return known.stream()
                .map(ConfigurationPropertyName::toString)
                .filter(name -> distance(key, name) <= MOST_MISTAKES)
                .min(Comparator.comparingInt((String name) -> distance(key, name))
                        .thenComparing(name -> name));
    }

    /** Returns how many letters have to be inserted, left out or replaced to make one text of the other. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
