package io.outbox.spring.boot.internal.settings;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Warns about keys below {@code outbox} that nobody reads, with the name that was probably meant. They are not refused:
 * an application may keep keys of its own there. Environment variables and system properties, which come from all kinds
 * of places, are left alone, as are parts that have properties of their own.
 */
public final class UnknownKeys {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(OutboxKeys.PREFIX);

    private final Set<ConfigurationPropertyName> known = new HashSet<>();
    private final List<ConfigurationPropertyName> open = new ArrayList<>();
    /** What can follow the names that the application chooses below these keys. */
    private final Map<ConfigurationPropertyName, List<String>> entries = new HashMap<>();

    private UnknownKeys(ListableBeanFactory beans) {
        Set<ConfigurationPropertyName> declared = new HashSet<>();
        for (FeatureSettings feature : FeatureSettings.all()) {
            declared.add(ConfigurationPropertyName.of(feature.prefix()));
            for (DeclaredSetting setting : feature.settings()) {
                setting.keys().map(ConfigurationPropertyName::of).forEach(known::add);
                ConfigurationPropertyName name = ConfigurationPropertyName.of(setting.key());
                if (!setting.entry().isEmpty()) {
                    entries.put(
                            name,
                            setting.entry().stream().map(DeclaredSetting::key).toList());
                } else if (setting.isOpen(feature.defaults())) {
                    open.add(name);
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

    /** Returns the nearest of the known names as a question to add to a message; empty text if none is near. */
    public static String didYouMean(String unknown, Collection<String> known) {
        return SimilarNames.question(unknown, known);
    }

    /** Warns about each key that nobody reads. */
    public static void warn(Environment environment, ListableBeanFactory beans) {
        UnknownKeys keys = new UnknownKeys(beans);
        for (String key : keys.unknown(environment)) {
            LOG.log(
                    Level.WARNING,
                    "{0} is not a setting of the outbox and has no effect{1}",
                    key,
                    keys.inBrackets(key).orElseGet(() -> didYouMean(key, keys.knownBeside(key))));
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
        return known.contains(name)
                || open.stream().anyMatch(part -> part.equals(name) || part.isAncestorOf(name))
                || keysOfEntry(name).anyMatch(key -> key.equals(name) || key.isAncestorOf(name));
    }

    /** Returns the keys of all settings that belong to the same entry of a map as the key. */
    private Stream<ConfigurationPropertyName> keysOfEntry(ConfigurationPropertyName name) {
        return entries.entrySet().stream()
                .filter(map -> map.getKey().isAncestorOf(name))
                .flatMap(map -> {
                    ConfigurationPropertyName entry = name.chop(map.getKey().getNumberOfElements() + 1);
                    return map.getValue().stream().map(entry::append);
                });
    }

    /** Returns how to write a setting of an entry whose name has a dot, and is taken for two names. */
    private Optional<String> inBrackets(String key) {
        for (Map.Entry<ConfigurationPropertyName, List<String>> map : entries.entrySet()) {
            String prefix = map.getKey() + ".";
            for (String setting : map.getValue()) {
                int end = key.length() - setting.length() - 1;
                if (key.startsWith(prefix) && key.endsWith("." + setting) && end > prefix.length()) {
                    String name = key.substring(prefix.length(), end);
                    if (name.contains(".")) {
                        return Optional.of("; a name with a dot stands in brackets: " + map.getKey() + "[" + name + "]."
                                + setting + ", in YAML \"[" + name + "]\"");
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Set<String> knownBeside(String key) {
        return Stream.concat(known.stream(), keysOfEntry(ConfigurationPropertyName.of(key)))
                .map(ConfigurationPropertyName::toString)
                .collect(Collectors.toSet());
    }
}
