package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.declaring.Circumstance;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Warns of settings that have no effect beside the others, which usually means that something else was intended. */
final class PointlessSettings {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private final ExplicitSettings explicit;
    private final Optional<OutboxSettings> outbox;

    /** @param outbox what is in force, or empty if the application has no outbox */
    PointlessSettings(ExplicitSettings explicit, Optional<OutboxSettings> outbox) {
        this.explicit = explicit;
        this.outbox = outbox;
    }

    /** One line for each reason. */
    void warn() {
        Map<String, List<String>> keysByReason = new LinkedHashMap<>();
        for (FeatureSettings feature : FeatureSettings.all()) {
            for (DeclaredSetting setting : feature.settings()) {
                String reason = reason(feature, setting);
                if (reason != null) {
                    setting.keys()
                            .filter(explicit::hasAnyBelow)
                            .forEach(key -> keysByReason
                                    .computeIfAbsent(reason, none -> new ArrayList<>())
                                    .add(key));
                }
            }
        }
        keysByReason.forEach((reason, keys) -> LOG.log(
                Level.WARNING, "{0} {1}: {2}", keys, keys.size() == 1 ? "has no effect" : "have no effect", reason));
    }

    private String reason(FeatureSettings feature, DeclaredSetting setting) {
        return Stream.concat(
                        setting.noEffect().stream().map(this::reason),
                        Stream.of(setting.key()).map(key -> feature.whyNoEffect(key, explicit, outbox.isPresent())))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private String reason(Circumstance circumstance) {
        return outbox.map(settings -> reason(circumstance, settings))
                .orElse(
                        outbox.isEmpty() && circumstance == Circumstance.NO_OUTBOX
                                ? "the application only consumes, and has no outbox; set outbox.mode if it is to have one"
                                : null);
    }

    private static String reason(Circumstance circumstance, OutboxSettings settings) {
        Mode mode = settings.mode();
        return switch (circumstance) {
            case NO_OUTBOX -> null;
            case WRITER_ONLY -> when(mode == Mode.WRITER_ONLY, "outbox.mode is writer-only, so nothing is delivered");
            case ORDERED ->
                when(
                        mode == Mode.ORDERED,
                        "outbox.mode is ordered, which delivers one event at a time and does not retry");
            case NOT_SEVERAL_NODES ->
                when(
                        mode != Mode.MULTI_NODE,
                        "outbox.mode is " + SettingText.of(mode) + ", and only several nodes lock what they deliver");
            case NO_TABLE -> when(settings.table().isInRedis(), "outbox.backend is redis, so there is no table");
            case NOT_IN_REDIS -> when(!settings.table().isInRedis(), "outbox.backend is jdbc");
            case NO_PURGE -> when(settings.purge().isEmpty(), "nothing is purged; set outbox.purge.enabled=true");
            case NO_METERS -> when(!settings.monitoring().meters(), "outbox.metrics.enabled is false");
            case NO_ORDER_BY_KEY ->
                when(!settings.delivery().ordersByKey(), "events of a key keep no order; set outbox.ordering=key");
        };
    }

    private static String when(boolean applies, String reason) {
        return applies ? reason : null;
    }
}
