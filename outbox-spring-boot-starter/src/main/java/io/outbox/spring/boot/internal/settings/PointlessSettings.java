package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxProperties.Mode;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.stream.Stream;

/** Tells of settings that have no effect beside the others, which usually means that something else was intended. */
final class PointlessSettings {

    private static final System.Logger LOG = System.getLogger(PointlessSettings.class.getName());

    private final ExplicitSettings explicit;

    private PointlessSettings(ExplicitSettings explicit) {
        this.explicit = explicit;
    }

    /** For an application that only consumes. What is set of a publisher that is turned off is meant to be. */
    static void warnWithoutOutbox(ExplicitSettings explicit) {
        new PointlessSettings(explicit)
                .warn(
                        "the application only consumes, and has no outbox; set outbox.mode if it is to have one",
                        "outbox.table-name",
                        "outbox.dispatcher",
                        "outbox.thread-pool-size",
                        "outbox.retry",
                        "outbox.poller",
                        "outbox.listeners",
                        "outbox.subscriptions",
                        "outbox.claim-locking",
                        "outbox.unroutable-grace",
                        "outbox.purge",
                        "outbox.redis",
                        "outbox.health");
    }

    /** For a consumer that keeps its marks. */
    static void warnWithoutCleanUp(ExplicitSettings explicit) {
        new PointlessSettings(explicit)
                .warn(
                        ConsumerKeys.of("clean-up.enabled") + " is false, so marks are kept",
                        ConsumerKeys.of("clean-up.ttl"),
                        ConsumerKeys.of("clean-up.batch-size"),
                        ConsumerKeys.of("clean-up.initial-delay"),
                        ConsumerKeys.of("clean-up.fixed-delay"));
    }

    static void warn(ExplicitSettings explicit, OutboxSettings settings) {
        PointlessSettings pointless = new PointlessSettings(explicit);
        Mode mode = settings.mode();
        if (mode == Mode.ORDERED) {
            pointless.warn(
                    "outbox.mode is ORDERED, which delivers one event at a time and does not retry",
                    "outbox.dispatcher.worker-count",
                    "outbox.thread-pool-size",
                    "outbox.dispatcher.hot-queue-capacity",
                    "outbox.dispatcher.max-attempts",
                    "outbox.retry");
        }
        if (mode == Mode.WRITER_ONLY) {
            pointless.warn(
                    "outbox.mode is WRITER_ONLY, so nothing is delivered",
                    "outbox.dispatcher",
                    "outbox.thread-pool-size",
                    "outbox.retry",
                    "outbox.poller",
                    "outbox.listeners");
        }
        if (mode != Mode.MULTI_NODE) {
            pointless.warn(
                    "outbox.mode is " + mode + ", and only several nodes lock what they deliver",
                    "outbox.unroutable-grace",
                    "outbox.claim-locking.owner-id",
                    "outbox.claim-locking.lock-timeout",
                    PublisherKeys.of("stuck-recovery"));
        }
        if (settings.table().isInRedis()) {
            pointless.warn("outbox.backend is REDIS, so there is no table", "outbox.table-name", "outbox.schema");
        } else {
            pointless.warn("outbox.backend is JDBC", "outbox.redis");
        }
        if (settings.purge().isEmpty()) {
            pointless.warn(
                    "nothing is purged; set outbox.purge.enabled=true",
                    "outbox.purge.retention",
                    "outbox.purge.batch-size",
                    "outbox.purge.interval",
                    "outbox.purge.interval-seconds");
        }
        if (!explicit.value(PublisherKeys.of("dlq.enabled"), Boolean.class).orElse(false)) {
            pointless.warn(
                    "there are no dead letters; set " + PublisherKeys.of("dlq.enabled") + "=true",
                    Stream.of(
                                    "table-name",
                                    "batch-size",
                                    "transfer-to-batch-size",
                                    "transfer-from-batch-size",
                                    "transfer-to-initial-delay",
                                    "transfer-to-fixed-delay",
                                    "transfer-from-initial-delay",
                                    "transfer-from-fixed-delay",
                                    "clean-up",
                                    "metrics")
                            .map(DlqPropertiesCheck::key)
                            .toArray(String[]::new));
        }
        if (!explicit.has(ConsumerKeys.ENABLED)) {
            pointless.warn("there is no consumer; set " + ConsumerKeys.ENABLED + "=true", ConsumerKeys.PREFIX);
        }
        if (!settings.monitoring().meters()) {
            pointless.warn("outbox.metrics.enabled is false", "outbox.metrics.name-prefix");
        }
    }

    private void warn(String reason, String... keys) {
        List<String> set = List.of(keys).stream().filter(explicit::hasAnyBelow).toList();
        if (!set.isEmpty()) {
            LOG.log(Level.WARNING, "{0} {1}: {2}", set, set.size() == 1 ? "has no effect" : "have no effect", reason);
        }
    }
}
