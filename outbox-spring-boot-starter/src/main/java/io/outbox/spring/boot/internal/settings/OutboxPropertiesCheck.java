package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.Rules.require;

import io.outbox.spring.boot.OutboxProperties;

/** The rules for {@link OutboxProperties}, each for itself. */
final class OutboxPropertiesCheck {

    private static final int MAX_OWNER_ID = 128;

    private final ExplicitSettings explicit;

    OutboxPropertiesCheck(ExplicitSettings explicit) {
        this.explicit = explicit;
    }

    void check(OutboxProperties properties) {
        require(properties.getMode() != null, "outbox.mode", null, "must be set");
        Rules.tableName("outbox.table-name", properties.getTableName());
        checkDispatcher(properties.getDispatcher());
        checkRetry(properties.getRetry());
        checkPoller(properties.getPoller());
        checkClaimLocking(properties.getClaimLocking());
        Rules.notNegative("outbox.unroutable-grace", properties.getUnroutableGrace());
        checkPurge(properties.getPurge());
        checkMetrics(properties.getMetrics());
        require(properties.getSchema().getInitialize() != null, "outbox.schema.initialize", null, "must be set");
        Rules.positive("outbox.health.max-lag", properties.getHealth().getMaxLag());
        Rules.atLeast(0, "outbox.redis.wait-for-replicas", properties.getRedis().getWaitForReplicas());
        Rules.positive("outbox.redis.replica-timeout", properties.getRedis().getReplicaTimeout());
    }

    private void checkDispatcher(OutboxProperties.Dispatcher dispatcher) {
        Rules.atLeast(1, "outbox.dispatcher.worker-count", dispatcher.getWorkerCount());
        Rules.atLeast(1, "outbox.dispatcher.hot-queue-capacity", dispatcher.getHotQueueCapacity());
        Rules.atLeast(1, "outbox.dispatcher.cold-queue-capacity", dispatcher.getColdQueueCapacity());
        Rules.atLeast(1, "outbox.dispatcher.max-attempts", dispatcher.getMaxAttempts());
        Rules.notNegative(inForce("outbox.dispatcher.drain-timeout"), dispatcher.getDrainTimeout());
    }

    private void checkRetry(OutboxProperties.Retry retry) {
        Rules.positive(inForce("outbox.retry.base-delay"), retry.getBaseDelay());
        Rules.positive(inForce("outbox.retry.max-delay"), retry.getMaxDelay());
        require(
                retry.getMaxDelay().compareTo(retry.getBaseDelay()) >= 0,
                inForce("outbox.retry.max-delay"),
                retry.getMaxDelay(),
                "must not be less than outbox.retry.base-delay, which is " + retry.getBaseDelay());
    }

    private void checkPoller(OutboxProperties.Poller poller) {
        Rules.positive(inForce("outbox.poller.interval"), poller.getInterval());
        Rules.atLeast(1, "outbox.poller.batch-size", poller.getBatchSize());
        Rules.notNegative(inForce("outbox.poller.skip-recent"), poller.getSkipRecent());
    }

    private static void checkClaimLocking(OutboxProperties.ClaimLocking claimLocking) {
        String ownerId = claimLocking.getOwnerId();
        require(
                ownerId == null || ownerId.length() <= MAX_OWNER_ID,
                "outbox.claim-locking.owner-id",
                ownerId,
                "must have at most " + MAX_OWNER_ID + " characters");
        Rules.positive("outbox.claim-locking.lock-timeout", claimLocking.getLockTimeout());
    }

    private void checkPurge(OutboxProperties.Purge purge) {
        Rules.notNegative("outbox.purge.retention", purge.getRetention());
        Rules.atLeast(1, "outbox.purge.batch-size", purge.getBatchSize());
        Rules.wholeSeconds(inForce("outbox.purge.interval"), purge.getInterval());
    }

    private static void checkMetrics(OutboxProperties.Metrics metrics) {
        String prefix = metrics.getNamePrefix();
        require(
                prefix != null && !prefix.isBlank() && !prefix.endsWith("."),
                "outbox.metrics.name-prefix",
                prefix,
                "must not be blank and must not end with a dot");
    }

    /** Returns the name by which the application gives a duration. */
    private String inForce(String key) {
        return TwoUnits.chosen(explicit, key);
    }
}
