package io.outbox.spring.boot;

import io.outbox.jdbc.TableNames;
import io.outbox.spring.boot.OutboxProperties.Mode;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The rules for {@link OutboxProperties}. A violation names the key, the value and the rule. */
final class OutboxPropertiesCheck {

    private static final int MAX_OWNER_ID = 128;

    private OutboxPropertiesCheck() {}

    static void check(OutboxProperties properties) {
        require(properties.getMode() != null, "mode", null, "must be set");
        checkTableName(properties.getTableName());
        checkDispatcher(properties.getDispatcher());
        checkRetry(properties.getRetry());
        checkPoller(properties.getPoller());
        checkClaimLocking(properties.getClaimLocking(), properties.getMode());
        checkPurge(properties.getPurge());
        checkMetrics(properties.getMetrics());
        require(properties.getSchema().getInitialize() != null, "schema.initialize", null, "must be set");
        checkPositive("health.max-lag", properties.getHealth().getMaxLag());
    }

    private static void checkTableName(String tableName) {
        require(tableName != null, "table-name", null, "must be set");
        try {
            TableNames.validate(tableName);
        } catch (IllegalArgumentException e) {
            // the constructor with a cause is not public on Spring Boot 3
            throw new InvalidConfigurationPropertyValueException("outbox.table-name", tableName, e.getMessage());
        }
    }

    private static void checkDispatcher(OutboxProperties.Dispatcher dispatcher) {
        checkAtLeast(1, "dispatcher.worker-count", dispatcher.getWorkerCount());
        checkAtLeast(1, "dispatcher.hot-queue-capacity", dispatcher.getHotQueueCapacity());
        checkAtLeast(1, "dispatcher.cold-queue-capacity", dispatcher.getColdQueueCapacity());
        checkAtLeast(1, "dispatcher.max-attempts", dispatcher.getMaxAttempts());
        checkAtLeast(0, "dispatcher.drain-timeout-ms", dispatcher.getDrainTimeoutMs());
    }

    private static void checkRetry(OutboxProperties.Retry retry) {
        checkAtLeast(1, "retry.base-delay-ms", retry.getBaseDelayMs());
        require(
                retry.getMaxDelayMs() >= retry.getBaseDelayMs(),
                "retry.max-delay-ms",
                retry.getMaxDelayMs(),
                "must not be less than outbox.retry.base-delay-ms, which is " + retry.getBaseDelayMs());
    }

    private static void checkPoller(OutboxProperties.Poller poller) {
        checkAtLeast(1, "poller.interval-ms", poller.getIntervalMs());
        checkAtLeast(1, "poller.batch-size", poller.getBatchSize());
        checkAtLeast(0, "poller.skip-recent-ms", poller.getSkipRecentMs());
    }

    private static void checkClaimLocking(OutboxProperties.ClaimLocking claimLocking, Mode mode) {
        boolean needed = mode == Mode.MULTI_NODE;
        require(
                claimLocking.isEnabled() == needed,
                "claim-locking.enabled",
                claimLocking.isEnabled(),
                needed
                        ? "must be true when outbox.mode is MULTI_NODE, so that nodes do not deliver each other's events"
                        : "takes effect only when outbox.mode is MULTI_NODE, but that is " + mode);
        String ownerId = claimLocking.getOwnerId();
        require(
                ownerId == null || (!ownerId.isBlank() && ownerId.length() <= MAX_OWNER_ID),
                "claim-locking.owner-id",
                ownerId,
                "must have 1 to " + MAX_OWNER_ID + " characters and not be blank");
        checkPositive("claim-locking.lock-timeout", claimLocking.getLockTimeout());
    }

    private static void checkPurge(OutboxProperties.Purge purge) {
        Duration retention = purge.getRetention();
        require(
                retention != null && !retention.isNegative(),
                "purge.retention",
                retention,
                "must be set and not be negative");
        checkAtLeast(1, "purge.batch-size", purge.getBatchSize());
        checkAtLeast(1, "purge.interval-seconds", purge.getIntervalSeconds());
    }

    private static void checkMetrics(OutboxProperties.Metrics metrics) {
        String prefix = metrics.getNamePrefix();
        require(
                prefix != null && !prefix.isBlank() && !prefix.endsWith("."),
                "metrics.name-prefix",
                prefix,
                "must not be blank and must not end with a dot");
    }

    private static void checkAtLeast(long least, String key, long value) {
        require(value >= least, key, value, "must be at least " + least);
    }

    private static void checkPositive(String key, Duration value) {
        require(
                value != null && value.compareTo(Duration.ofMillis(1)) >= 0,
                key,
                value,
                "must be at least one millisecond");
    }

    private static void require(boolean fulfilled, String key, Object value, String rule) {
        if (!fulfilled) {
            throw new InvalidConfigurationPropertyValueException("outbox." + key, value, rule);
        }
    }
}
