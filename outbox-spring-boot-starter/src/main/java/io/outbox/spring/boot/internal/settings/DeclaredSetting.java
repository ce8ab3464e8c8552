package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.FeatureSettings.require;

import io.outbox.spring.boot.internal.declaring.Circumstance;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A setting as its field declares it.
 *
 * @param key its key; of an entry of a map, what follows the name of the entry
 * @param value returns its value in the properties to which it is bound; {@code null} if it is not set and has no
 *     default
 * @param unit the unit in which a duration can be given as a number, under a second name; {@code FOREVER} for none
 * @param meaning the key of the setting that this is another name for; empty for none
 * @param noEffect when it has no effect
 * @param entry the settings of each entry, if this is a map of nested properties; else empty
 */
record DeclaredSetting(
        String key,
        UnaryOperator<Object> value,
        Rule rule,
        ChronoUnit unit,
        String meaning,
        Set<Circumstance> noEffect,
        List<DeclaredSetting> entry) {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    /** Returns every key by which the application can give this setting. */
    Stream<String> keys() {
        return unit == ChronoUnit.FOREVER ? Stream.of(key) : Stream.of(key, numberKey());
    }

    private String numberKey() {
        return key + (unit == ChronoUnit.MILLIS ? "-ms" : "-seconds");
    }

    /** Returns whether this is a map or a list, below whose key the application chooses the names. */
    boolean isOpen(Object defaults) {
        Object byDefault = value.apply(defaults);
        return byDefault instanceof Map || byDefault instanceof Iterable;
    }

    /** Returns the key by which the application gives this setting, or the usual one if it does not. */
    String chosenKey(ExplicitSettings explicit) {
        return unit != ChronoUnit.FOREVER && explicit.has(numberKey()) ? numberKey() : key;
    }

    /** @param defaults properties to which nothing was bound */
    void check(Object properties, Object defaults, ExplicitSettings explicit) {
        if (unit != ChronoUnit.FOREVER) {
            checkUnits(explicit);
        }
        Object set = value.apply(properties);
        if (set instanceof Duration duration) {
            warnWithoutUnit(duration, explicit);
        }
        require(set != null || value.apply(defaults) == null, chosenKey(explicit), null, "must be set");
        checkRule(chosenKey(explicit), set);
        if (!entry.isEmpty()) {
            ((Map<?, ?>) set)
                    .forEach((name, nested) -> entry.forEach(setting -> setting.checkRule(
                            FeatureSettings.ofEntry(key, (String) name) + "." + setting.key,
                            setting.value.apply(nested))));
        }
    }

    /** A number is taken for milliseconds, and few who write {@code retention=7} mean that. */
    private void warnWithoutUnit(Duration set, ExplicitSettings explicit) {
        explicit.value(key, String.class)
                .filter(text -> !set.isZero() && text.strip().chars().allMatch(Character::isDigit))
                .ifPresent(number -> LOG.log(
                        Level.WARNING,
                        "{0}={1} has no unit and means {2}: write the unit, such as {1}s, {1}m, {1}h or {1}d",
                        key,
                        number,
                        DurationText.of(set)));
    }

    private void checkRule(String name, Object set) {
        if (set != null) {
            rule.violationBy(set).ifPresent(violation -> require(false, name, set, violation));
        }
    }

    private void checkUnits(ExplicitSettings explicit) {
        explicit.value(numberKey(), Long.class)
                .ifPresent(number -> explicit.value(key, Duration.class)
                        .ifPresent(duration -> require(
                                duration.equals(Duration.of(number, unit)),
                                numberKey(),
                                number,
                                "means the same setting as " + key + ", which is " + DurationText.of(duration)
                                        + "; set one of them")));
    }
}
