package io.outbox.spring.boot.internal.declaring;

import io.outbox.jdbc.TableNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** What values of settings must fulfil, each for itself. */
public enum Rule {
    /** Every value of the type will do. */
    ANY(value -> null),
    AT_LEAST_0(Number.class, value -> value.longValue() >= 0, "must be at least 0"),
    AT_LEAST_1(Number.class, value -> value.longValue() >= 1, "must be at least 1"),
    /** Each one is a thread. */
    WORKERS(Integer.class, value -> value >= 1 && value <= 10_000, "must be at least 1 and at most 10000"),
    /** All of them are in memory at once. */
    BATCH(Integer.class, value -> value >= 1 && value <= 10_000, "must be at least 1 and at most 10000"),
    UP_TO_255(Integer.class, value -> value >= 0 && value <= 255, "must be between 0 and 255"),
    /** What a pause is multiplied by. */
    FACTOR(Double.class, value -> value >= 1 && !value.isInfinite(), "must be a number of at least 1"),
    NOT_NEGATIVE(Duration.class, value -> !value.isNegative(), "must not be negative"),
    POSITIVE(Duration.class, value -> value.compareTo(Duration.ofMillis(1)) >= 0, "must be at least one millisecond"),
    WHOLE_SECONDS(
            Duration.class,
            value -> value.toSeconds() >= 1 && value.equals(Duration.ofSeconds(value.toSeconds())),
            "must be a whole number of seconds, at least 1"),
    NOT_BLANK(String.class, value -> !value.isBlank(), "must not be blank"),
    OWNER_ID(String.class, value -> value.length() <= 128, "must have at most 128 characters"),
    METER_PREFIX(
            String.class,
            value -> !value.isBlank() && !value.endsWith("."),
            "must not be blank and must not end with a dot"),
    /** Versions by event type. */
    VERSIONS(value -> ((Map<?, ?>) value).values().stream().allMatch(AT_LEAST_1::allows) ? null : "must be at least 1"),
    /** A table, optionally with its schema. */
    TABLE_NAME(value -> tableNameViolation((String) value)),
    /** How long the counts of three gauges are kept. */
    GAUGE_TTLS(value -> ttlsViolation((List<?>) value));

    private final Function<Object, String> violation;

    Rule(Function<Object, String> violation) {
        this.violation = violation;
    }

    <T> Rule(Class<T> type, Predicate<? super T> condition, String text) {
        this(value -> condition.test(type.cast(value)) ? null : text);
    }

    private boolean allows(Object value) {
        return violation.apply(value) == null;
    }

    /** Returns what is wrong with a value, if anything is. */
    public Optional<String> violationBy(Object value) {
        return Optional.ofNullable(violation.apply(value));
    }

    private static String tableNameViolation(String name) {
        try {
            TableNames.validate(name);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private static String ttlsViolation(List<?> ttls) {
        if (ttls.size() != 3) {
            return "must have 3 values: for all events, by status, and by event type and status";
        }
        return ttls.stream().allMatch(ttl -> ttl instanceof Duration duration && !duration.isNegative())
                ? null
                : "must not be negative";
    }
}
