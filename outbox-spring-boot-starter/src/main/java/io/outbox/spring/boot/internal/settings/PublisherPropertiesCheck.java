package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.Rules.require;

import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Backoff;
import io.outbox.spring.boot.OutboxPublisherProperties.Policy;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The rules for {@link OutboxPublisherProperties}, each for itself. A violation names the key, the value and the rule. */
final class PublisherPropertiesCheck {

    private static final int GAUGES = 3;

    private PublisherPropertiesCheck() {}

    static void check(OutboxPublisherProperties properties) {
        checkSender(null, properties.getSender());
        properties.getSenders().forEach(PublisherPropertiesCheck::checkSender);
        checkTopic(PublisherKeys.of("defaults.topic"), properties.getDefaults().getTopic());
        checkPolicy(setting -> PublisherKeys.of("defaults." + setting), properties.getDefaults());
        properties.getEvents().forEach((type, event) -> checkEvent(type, event, properties));
        checkHeaders(properties);
        require(
                properties.getCloudEvents().isEnabled()
                        || properties.getCloudEvents().getSource() == null,
                PublisherKeys.of("cloud-events.source"),
                properties.getCloudEvents().getSource(),
                "has no effect unless " + PublisherKeys.of("cloud-events.enabled") + " is true");
        checkStuckRecovery(properties.getStuckRecovery());
        checkCleanUp(properties.getCleanUp());
        checkTtls(
                PublisherKeys.of("metrics.gauge.cache.ttls"),
                properties.getMetrics().getGauge().getCache().getTtls());
        DlqPropertiesCheck.check(properties.getDlq());
    }

    private static void checkSender(String name, OutboxPublisherProperties.Sender sender) {
        Rules.positive(EventSenders.key(name) + ".emergency-timeout", sender.getEmergencyTimeout());
        require(
                name == null || sender.getType() != null,
                EventSenders.key(name) + ".type",
                null,
                "must be set: kafka or rabbit_mq");
    }

    private static void checkEvent(String type, OutboxEventProperties event, OutboxPublisherProperties properties) {
        Function<String, String> keys = setting -> PublisherKeys.ofEvent(type, setting);
        try {
            EventEnvelope.ofJson(type, "{}");
        } catch (IllegalArgumentException e) {
            // the constructor with a cause is not public on Spring Boot 3
            throw new InvalidConfigurationPropertyValueException(
                    PublisherKeys.of("events"), type, "is no event type: " + e.getMessage());
        }
        RouteSettingsCheck.check(type, event, properties);
        if (!isDefaultExchange(event, properties)) {
            checkTopic(keys.apply("topic"), event.getTopic());
        }
        checkPolicy(keys, event);
        checkBackoff(keys, event.getBackoff(), properties.getDefaults().getBackoff());
    }

    private static boolean isDefaultExchange(OutboxEventProperties event, OutboxPublisherProperties properties) {
        return "".equals(event.getTopic())
                && new EventSenders(properties).of(event).getType() == SenderType.RABBIT_MQ;
    }

    private static void checkTopic(String key, String topic) {
        require(
                topic == null || !topic.isBlank(),
                key,
                topic,
                "must not be blank: the topic in Kafka, the exchange in RabbitMQ");
    }

    private static void checkBackoff(Function<String, String> keys, Backoff backoff, Backoff defaults) {
        boolean set = backoff.getDelay() != null || backoff.getMultiplier() != null;
        String reason = "makes " + keys.apply("backoff.delay") + " and " + keys.apply("backoff.multiplier")
                + " pointless: the pause before a retry is the fixed delay then";
        require(!set || !Boolean.FALSE.equals(backoff.getEnabled()), keys.apply("backoff.enabled"), false, reason);
        require(
                !set || backoff.getEnabled() != null || !Boolean.FALSE.equals(defaults.getEnabled()),
                PublisherKeys.of("defaults.backoff.enabled"),
                false,
                reason + "; set " + keys.apply("backoff.enabled") + "=true for this event type");
    }

    private static void checkPolicy(Function<String, String> keys, Policy policy) {
        checkAtLeast(1, keys.apply("batch-size"), policy.getBatchSize());
        checkNotNegativeIfSet(keys.apply("initial-delay"), policy.getInitialDelay());
        checkPositiveIfSet(keys.apply("fixed-delay"), policy.getFixedDelay());
        checkAtLeast(0, keys.apply("max-retries"), policy.getMaxRetries());
        checkAtLeast(1, keys.apply("concurrency"), policy.getConcurrency());
        checkAtLeast(1, keys.apply("rate-limit"), policy.getRateLimit());
        checkPositiveIfSet(keys.apply("backoff.delay"), policy.getBackoff().getDelay());
        Double multiplier = policy.getBackoff().getMultiplier();
        require(
                multiplier == null || (multiplier >= 1 && !multiplier.isInfinite()),
                keys.apply("backoff.multiplier"),
                multiplier,
                "must be a number of at least 1");
    }

    private static void checkHeaders(OutboxPublisherProperties properties) {
        Set<String> taken = new HashSet<>();
        for (OutboxHeaders header : OutboxHeaders.values()) {
            String name = properties.getHeaders().getOrDefault(header, header.getValue());
            require(
                    name.isEmpty() || (!name.isBlank() && taken.add(name)),
                    PublisherKeys.of("headers"),
                    properties.getHeaders(),
                    "must have a name of its own for each header, or the empty one to leave it out");
        }
        properties.getEvents().forEach((type, event) -> checkHeaders(type, event, taken));
    }

    private static void checkHeaders(String type, OutboxEventProperties event, Set<String> taken) {
        event.getHeaders()
                .forEach((name, text) -> require(
                        !taken.contains(name),
                        PublisherKeys.ofHeader(type, name),
                        text,
                        "is the name of a header of the outbox: choose another one, or another in "
                                + PublisherKeys.of("headers")));
    }

    private static void checkStuckRecovery(OutboxPublisherProperties.StuckRecovery recovery) {
        checkAtLeast(1, PublisherKeys.of("stuck-recovery.batch-size"), recovery.getBatchSize());
        Rules.positive(
                PublisherKeys.of("stuck-recovery.max-batch-processing-time"), recovery.getMaxBatchProcessingTime());
        checkNotNegativeIfSet(PublisherKeys.of("stuck-recovery.initial-delay"), recovery.getInitialDelay());
        Rules.positive(PublisherKeys.of("stuck-recovery.fixed-delay"), recovery.getFixedDelay());
    }

    private static void checkCleanUp(OutboxPublisherProperties.CleanUp cleanUp) {
        checkAtLeast(1, PublisherKeys.of("clean-up.batch-size"), cleanUp.getBatchSize());
        Rules.notNegative(PublisherKeys.of("clean-up.ttl"), cleanUp.getTtl());
        checkNotNegativeIfSet(PublisherKeys.of("clean-up.initial-delay"), cleanUp.getInitialDelay());
        Rules.wholeSeconds(PublisherKeys.of("clean-up.fixed-delay"), cleanUp.getFixedDelay());
    }

    static void checkTtls(String key, List<Duration> ttls) {
        require(
                ttls != null && ttls.size() == GAUGES,
                key,
                ttls,
                "must have " + GAUGES + " values: for all events, by status, and by event type and status");
        require(ttls.stream().noneMatch(ttl -> ttl == null || ttl.isNegative()), key, ttls, "must not be negative");
    }

    static void checkAtLeast(int least, String key, Integer value) {
        if (value != null) {
            Rules.atLeast(least, key, value);
        }
    }

    static void checkNotNegativeIfSet(String key, Duration value) {
        if (value != null) {
            Rules.notNegative(key, value);
        }
    }

    static void checkPositiveIfSet(String key, Duration value) {
        if (value != null) {
            Rules.positive(key, value);
        }
    }
}
