package io.outbox.spring.boot.internal.listeners;

import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.MultiplyingRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.ListenerSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.UnknownKeys;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.convert.DurationStyle;

/**
 * The lanes of listeners with settings of their own: from {@code outbox.listeners.<name>.*}, then from the annotation,
 * then as in the outbox.
 */
final class ListenerPolicies {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final double DEFAULT_MULTIPLIER = 2;

    private final Map<String, ListenerSettings> settings;
    private final Supplier<RetryPolicy> retryPolicy;
    private final UnaryOperator<String> placeholders;

    /** @param retryPolicy the application's own, or {@code null} */
    ListenerPolicies(
            OutboxProperties properties, Supplier<RetryPolicy> retryPolicy, UnaryOperator<String> placeholders) {
        this.settings = properties.getListeners();
        this.retryPolicy = retryPolicy;
        this.placeholders = placeholders;
    }

    /**
     * Warns of settings of listeners that are not in this context. They are not refused: the listener may be left out
     * on purpose, by a profile or in a test of a part of the application.
     */
    void warnOfUnknown(Set<String> names) {
        settings.keySet().stream()
                .filter(name -> !names.contains(name))
                .forEach(unknown -> LOG.log(
                        Level.WARNING,
                        "Settings below outbox.listeners.{0} have no effect here: there is no listener of this name, only"
                                + " {1}{2}",
                        unknown,
                        names,
                        UnknownKeys.didYouMean(unknown, names)));
    }

    /** Returns the lane of a listener, or {@code null} if nothing was set for it. */
    ListenerLane of(String name, OutboxListener annotation) {
        Values values = new Values(name, settings.getOrDefault(name, new ListenerSettings()), annotation);
        Integer concurrency =
                values.number(ListenerSettings::getConcurrency, "concurrency", OutboxListener::concurrency);
        Integer maxAttempts =
                values.number(ListenerSettings::getMaxAttempts, "maxAttempts", OutboxListener::maxAttempts);
        Integer rateLimit = values.number(ListenerSettings::getRateLimit, "rateLimit", OutboxListener::rateLimit);
        Integer batchSize = values.number(ListenerSettings::getBatchSize, "batchSize", OutboxListener::batchSize);
        Function<OutboxSettings, RetryPolicy> backoff = backoff(values);
        if (concurrency == null && maxAttempts == null && rateLimit == null && batchSize == null && backoff == null) {
            return null;
        }
        LanePolicy.Builder lane = LanePolicy.builder();
        if (maxAttempts != null) {
            lane.maxAttempts(maxAttempts);
        }
        if (concurrency != null) {
            lane.concurrency(concurrency);
        }
        if (rateLimit != null) {
            lane.maxPerSecond(rateLimit);
        }
        if (batchSize != null) {
            lane.batchSize(batchSize);
        }
        return outbox -> lane.maxAttempts(
                        maxAttempts == null ? outbox.delivery().workers().maxAttempts() : maxAttempts)
                .retryPolicy(backoff == null ? policyOf(outbox) : backoff.apply(outbox))
                .build();
    }

    private RetryPolicy policyOf(OutboxSettings outbox) {
        RetryPolicy ofTheApplication = retryPolicy.get();
        OutboxSettings.Retry retry = outbox.delivery().retry();
        return ofTheApplication != null
                ? ofTheApplication
                : RetryPolicy.exponential(retry.baseDelay(), retry.maxDelay());
    }

    private static Function<OutboxSettings, RetryPolicy> backoff(Values values) {
        Duration delay = values.duration(s -> s.getBackoff().getDelay(), "backoffDelay", OutboxListener::backoffDelay);
        Duration max =
                values.duration(s -> s.getBackoff().getMaxDelay(), "backoffMaxDelay", OutboxListener::backoffMaxDelay);
        Double multiplier = values.value(
                s -> s.getBackoff().getMultiplier(),
                "backoffMultiplier",
                OutboxListener::backoffMultiplier,
                Double::valueOf);
        if (delay == null) {
            if (max != null || multiplier != null) {
                throw new IllegalStateException(
                        "backoffMultiplier and backoffMaxDelay need a backoffDelay, of the annotation or as "
                                + values.key("backoffDelay"));
            }
            return null;
        }
        RetryPolicy growing = new MultiplyingRetryPolicy(delay, multiplier == null ? DEFAULT_MULTIPLIER : multiplier);
        if (max != null && max.compareTo(delay) < 0) {
            throw new IllegalStateException("backoffMaxDelay " + max + " is less than backoffDelay " + delay
                    + "; change the annotation or " + values.key("backoffMaxDelay"));
        }
        return outbox -> {
            Duration longest =
                    max != null ? max : longer(outbox.delivery().retry().maxDelay(), delay);
            return attempts -> Math.min(growing.computeDelayMs(attempts), longest.toMillis());
        };
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** The settings of one listener. */
    private final class Values {

        private final String name;
        private final ListenerSettings properties;
        private final OutboxListener annotation;

        Values(String name, ListenerSettings properties, OutboxListener annotation) {
            this.name = name;
            this.properties = properties;
            this.annotation = annotation;
        }

        Integer number(
                Function<ListenerSettings, Integer> property, String attribute, Function<OutboxListener, String> text) {
            return value(property, attribute, text, Integer::valueOf);
        }

        Duration duration(
                Function<ListenerSettings, Duration> property,
                String attribute,
                Function<OutboxListener, String> text) {
            return value(property, attribute, text, DurationStyle::detectAndParse);
        }

        /** Returns the key that sets what an attribute of the annotation does. */
        String key(String attribute) {
            return "outbox.listeners." + name + "."
                    + DataObjectPropertyName.toDashedForm(attribute).replace("backoff-", "backoff.");
        }

        <T> T value(
                Function<ListenerSettings, T> property,
                String attribute,
                Function<OutboxListener, String> text,
                Function<String, T> parser) {
            T set = property.apply(properties);
            String given = placeholders.apply(text.apply(annotation)).strip();
            if (set != null || given.isEmpty()) {
                return set;
            }
            try {
                return parser.apply(given);
            } catch (IllegalArgumentException e) {
                throw new IllegalStateException(attribute + " of @OutboxListener cannot be read: '" + given + "'", e);
            }
        }
    }
}
