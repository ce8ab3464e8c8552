package io.outbox.spring.boot.consumer;

import static io.outbox.spring.boot.internal.settings.FeatureSettings.require;

import io.outbox.inbox.JdbcInbox;
import io.outbox.spring.boot.OutboxConsumerProperties;
import io.outbox.spring.boot.consumer.ConsumerSettings.CleanUp;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import java.lang.System.Logger.Level;
import java.util.Optional;

/**
 * Makes {@link ConsumerSettings} out of what the application has set. A violation names the key, the value and the
 * rule.
 */
final class ConsumerDecision {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final String NAME = ConsumerKeys.of("name");
    private static final String APPLICATION_NAME = "spring.application.name";
    private static final String CACHE_NAME = ConsumerKeys.of("cache.cache-name");

    private final OutboxConsumerProperties properties;

    private ConsumerDecision(OutboxConsumerProperties properties) {
        this.properties = properties;
    }

    /** Checks every value, and decides. */
    static ConsumerSettings decide(OutboxConsumerProperties properties, ExplicitSettings explicit) {
        FeatureSettings.check(properties, explicit);
        ConsumerDecision decision = new ConsumerDecision(properties);
        return new ConsumerSettings(
                decision.name(explicit.value(APPLICATION_NAME, String.class).orElse("")),
                properties.tableName(),
                properties.idHeader(),
                Optional.ofNullable(properties.idExpression()),
                properties.unidentified(),
                decision.cleanUp(),
                decision.cacheName());
    }

    private String name(String applicationName) {
        if (properties.name() != null) {
            return checked(NAME, properties.name());
        }
        if (!applicationName.isBlank()) {
            return checked(APPLICATION_NAME, applicationName);
        }
        LOG.log(
                Level.WARNING,
                "Neither {0} nor {1} is set, so the consumer''s name is ''{2}'': services of that name that share a database"
                        + " skip each other''s events; set one of the two",
                NAME,
                APPLICATION_NAME,
                JdbcInbox.DEFAULT_CONSUMER);
        return JdbcInbox.DEFAULT_CONSUMER;
    }

    private static String checked(String key, String name) {
        try {
            return JdbcInbox.validName(name);
        } catch (IllegalArgumentException e) {
            require(false, key, name, "is not a valid name for a consumer: " + e.getMessage() + "; set " + NAME);
            throw e;
        }
    }

    private Optional<CleanUp> cleanUp() {
        OutboxConsumerProperties.CleanUp cleanUp = properties.cleanUp();
        return cleanUp.enabled()
                ? Optional.of(
                        new CleanUp(cleanUp.batchSize(), cleanUp.ttl(), cleanUp.initialDelay(), cleanUp.fixedDelay()))
                : Optional.empty();
    }

    /** A cache that is named is meant to be used, unless it is turned off. */
    private Optional<String> cacheName() {
        Boolean enabled = properties.cache().enabled();
        String name = properties.cache().cacheName();
        boolean isNamed = name != null && !name.isBlank();
        require(
                isNamed || (name == null && !Boolean.TRUE.equals(enabled)),
                CACHE_NAME,
                name,
                "must name a cache of the application's CacheManager, or " + ConsumerKeys.of("cache.enabled")
                        + " must be false");
        return isNamed && !Boolean.FALSE.equals(enabled) ? Optional.of(name) : Optional.empty();
    }
}
