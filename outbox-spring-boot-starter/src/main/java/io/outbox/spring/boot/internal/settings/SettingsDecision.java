package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.Rules.require;

import io.outbox.poller.StuckRecovery;
import io.outbox.spring.boot.OutboxGlobalProperties;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.Backend;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Delivery;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Locking;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Monitoring;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Polling;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Purge;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Retry;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Table;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Workers;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Makes {@link OutboxSettings} out of what the application has set, which stays as it was bound.
 *
 * <p>Some settings have two names, one of {@link OutboxProperties} and one of the publisher. The one that the application
 * sets counts; if it sets both, to different values, it is told so and does not start. If it sets neither, the publisher's
 * default counts as soon as the publisher is configured; that tables are created, also with a consumer.
 *
 * <p>Without a mode of the application's choice, one follows from the rest: with claim locking, or with event types to
 * publish, any number of instances may deliver; with the publisher turned off, this one delivers nothing.
 */
public final class SettingsDecision {

    /** The key of the mode. */
    public static final String MODE = "outbox.mode";

    private static final System.Logger LOG = System.getLogger(SettingsDecision.class.getName());
    private static final String PURGE = "outbox.purge.enabled";
    private static final String CLEAN_UP = PublisherKeys.of("clean-up.enabled");
    private static final String LOCKING = "outbox.claim-locking.enabled";
    private static final List<String> RECOVERY_SCHEDULE = Stream.of("batch-size", "initial-delay", "fixed-delay")
            .map(setting -> PublisherKeys.of("stuck-recovery." + setting))
            .toList();

    private final ExplicitSettings explicit;
    private final OutboxGlobalProperties global;
    private final OutboxPublisherProperties publisher;
    private final boolean publisherIsConfigured;
    private final boolean isConsumerOnly;

    public SettingsDecision(
            ExplicitSettings explicit, OutboxGlobalProperties global, OutboxPublisherProperties publisher) {
        this.explicit = explicit;
        this.global = global;
        this.publisher = publisher;
        this.publisherIsConfigured = publisher.isEnabled() && explicit.hasAnyBelow(PublisherKeys.PREFIX);
        this.isConsumerOnly = ConsumerDecision.isConsumerOnly(explicit);
    }

    /** Returns the settings of an outbox whose properties are made by code and complete. */
    public static OutboxSettings of(OutboxProperties outbox) {
        return new SettingsDecision(
                        ExplicitSettings.none(), new OutboxGlobalProperties(), new OutboxPublisherProperties())
                .decide(outbox);
    }

    /** Checks every value, and decides. */
    public OutboxSettings decide(OutboxProperties outbox) {
        new OutboxPropertiesCheck(explicit).check(outbox);
        GlobalPropertiesCheck.check(global);
        PublisherPropertiesCheck.check(publisher);
        TwoUnits.check(explicit);
        Mode mode = mode(outbox);
        OutboxSettings settings = new OutboxSettings(
                mode, table(outbox), delivery(outbox, mode), purge(outbox, mode), monitoring(outbox));
        if (isConsumerOnly) {
            PointlessSettings.warnWithoutOutbox(explicit);
        } else {
            PointlessSettings.warn(explicit, settings);
        }
        return settings;
    }

    private Mode mode(OutboxProperties outbox) {
        boolean locks = outbox.getClaimLocking().isEnabled();
        boolean refusesLocks = !locks && explicit.has(LOCKING);
        if (explicit.has(MODE) || outbox.getMode() != Mode.SINGLE_NODE) {
            boolean several = outbox.getMode() == Mode.MULTI_NODE;
            require(
                    several || !locks,
                    LOCKING,
                    true,
                    "takes effect only when outbox.mode is MULTI_NODE, but that is " + outbox.getMode());
            require(
                    !several || !refusesLocks,
                    LOCKING,
                    false,
                    "must not be false when outbox.mode is MULTI_NODE, where nodes would deliver each other's events"
                            + " without");
            return outbox.getMode();
        }
        if (!publisher.isEnabled()) {
            require(
                    !locks,
                    LOCKING,
                    true,
                    "does not fit " + PublisherKeys.of("enabled") + "=false: nothing is delivered");
            LOG.log(
                    Level.INFO,
                    isConsumerOnly
                            ? "{0} is false, so this instance only consumes events, and there is no outbox; set {1} if it"
                                    + " is to write events or to deliver them to listeners"
                            : "{0} is false, so this instance only writes events and leaves their delivery and purge to"
                                    + " others; set {1} if it is to deliver to listeners",
                    PublisherKeys.of("enabled"),
                    MODE);
            return Mode.WRITER_ONLY;
        }
        boolean publishes = !publisher.getEvents().isEmpty();
        require(
                !publishes || !refusesLocks,
                LOCKING,
                false,
                "does not fit " + PublisherKeys.of("events") + ", which several instances may deliver; set " + MODE
                        + " to SINGLE_NODE if there is only one");
        return locks || publishes ? Mode.MULTI_NODE : Mode.SINGLE_NODE;
    }

    private Table table(OutboxProperties outbox) {
        boolean autoCreate = !Boolean.FALSE.equals(global.getTables().getAutoCreate());
        return new Table(
                outbox.getTableName(),
                oneOf(
                        new Named<>(
                                "outbox.schema.initialize", outbox.getSchema().getInitialize()),
                        new Named<>(
                                "outbox.tables.auto-create",
                                autoCreate ? DatabaseInitializationMode.ALWAYS : DatabaseInitializationMode.NEVER),
                        publisherIsConfigured || ConsumerDecision.consumes(explicit)),
                outbox.getBackend() == Backend.REDIS ? outbox.getRedis().getName() : null);
    }

    private Delivery delivery(OutboxProperties outbox, Mode mode) {
        OutboxProperties.Retry retry = outbox.getRetry();
        OutboxProperties.Poller poller = outbox.getPoller();
        return new Delivery(
                workers(outbox.getDispatcher()),
                new Retry(retry.getBaseDelay(), retry.getMaxDelay()),
                new Polling(poller.getInterval(), poller.ownBatchSize(), poller.getSkipRecent()),
                locking(outbox, mode),
                outbox.isAutoStartup());
    }

    private Workers workers(OutboxProperties.Dispatcher dispatcher) {
        Integer threads = global.getThreadPoolSize();
        return new Workers(
                oneOf(
                        new Named<>("outbox.dispatcher.worker-count", dispatcher.getWorkerCount()),
                        new Named<>(
                                "outbox.thread-pool-size",
                                threads == null ? OutboxGlobalProperties.defaultThreadPoolSize() : threads)),
                dispatcher.getHotQueueCapacity(),
                dispatcher.getColdQueueCapacity(),
                dispatcher.getMaxAttempts(),
                dispatcher.getDrainTimeout());
    }

    private Locking locking(OutboxProperties outbox, Mode mode) {
        OutboxProperties.ClaimLocking locking = outbox.getClaimLocking();
        String ownerId = locking.getOwnerId();
        return new Locking(
                ownerId == null || ownerId.isBlank() ? null : ownerId,
                oneOfOursAndPublishers(
                        new Named<>("outbox.claim-locking.lock-timeout", locking.getLockTimeout()),
                        new Named<>(
                                PublisherKeys.of("stuck-recovery.max-batch-processing-time"),
                                publisher.getStuckRecovery().getMaxBatchProcessingTime())),
                stuckRecovery(mode),
                outbox.getUnroutableGrace());
    }

    /** Returns the schedule if the application sets one; the engine's own, with every poll, is quicker. */
    private StuckRecovery stuckRecovery(Mode mode) {
        if (!publisherIsConfigured
                || mode != Mode.MULTI_NODE
                || RECOVERY_SCHEDULE.stream().noneMatch(explicit::has)) {
            return null;
        }
        OutboxPublisherProperties.StuckRecovery settings = publisher.getStuckRecovery();
        return new StuckRecovery(settings.getBatchSize(), settings.getInitialDelay(), settings.getFixedDelay());
    }

    private Optional<Purge> purge(OutboxProperties outbox, Mode mode) {
        OutboxProperties.Purge purge = outbox.getPurge();
        OutboxPublisherProperties.CleanUp cleanUp = publisher.getCleanUp();
        boolean enabled = oneOfOursAndPublishers(
                new Named<>(PURGE, purge.isEnabled()), new Named<>(CLEAN_UP, cleanUp.isEnabled()));
        // purging by age, as writer-only does, would take events from the instances that deliver
        boolean othersPurge = !publisher.isEnabled() && !explicit.has(MODE);
        Purge decided = new Purge(
                oneOfOursAndPublishers(
                        new Named<>("outbox.purge.retention", purge.getRetention()),
                        new Named<>(PublisherKeys.of("clean-up.ttl"), cleanUp.getTtl())),
                publisherIsConfigured && !explicit.has(PURGE),
                oneOfOursAndPublishers(
                        new Named<>("outbox.purge.batch-size", purge.getBatchSize()),
                        new Named<>(PublisherKeys.of("clean-up.batch-size"), cleanUp.getBatchSize())),
                oneOfOursAndPublishers(
                        new Named<>(TwoUnits.chosen(explicit, "outbox.purge.interval"), purge.getInterval()),
                        new Named<>(PublisherKeys.of("clean-up.fixed-delay"), cleanUp.getFixedDelay())),
                purgeInitialDelay(cleanUp));
        boolean wanted = enabled || isWantedBy(decided.retention(), mode);
        return wanted && !othersPurge ? Optional.of(decided) : Optional.empty();
    }

    /** To keep nothing is to delete, unless the application says otherwise, or delivers nothing that could be done. */
    private boolean isWantedBy(Duration retention, Mode mode) {
        return retention.isZero() && mode != Mode.WRITER_ONLY && !explicit.has(PURGE) && !explicit.has(CLEAN_UP);
    }

    private Duration purgeInitialDelay(OutboxPublisherProperties.CleanUp cleanUp) {
        boolean counts = publisherIsConfigured
                && (!explicit.has(PURGE) || explicit.has(PublisherKeys.of("clean-up.initial-delay")));
        return counts ? cleanUp.getInitialDelay() : Duration.ZERO;
    }

    private Monitoring monitoring(OutboxProperties outbox) {
        OutboxProperties.Metrics metrics = outbox.getMetrics();
        boolean gauges =
                publisher.isEnabled() && publisher.getMetrics().getGauge().isEnabled();
        require(
                !gauges || metrics.isEnabled(),
                PublisherKeys.of("metrics.gauge.enabled"),
                true,
                "outbox.metrics.enabled is false; there are either gauges or no meters at all");
        return new Monitoring(
                metrics.isEnabled(), metrics.getNamePrefix(), outbox.getHealth().getMaxLag());
    }

    /** As {@link #oneOf}, of a key that means nothing while the publisher is off. */
    private <T> T oneOfOursAndPublishers(Named<T> ours, Named<T> publishers) {
        return publisher.isEnabled() ? oneOf(ours, publishers) : ours.value;
    }

    /** Returns the value that counts of two names for one setting. */
    private <T> T oneOf(Named<T> ours, Named<T> other) {
        return oneOf(ours, other, publisherIsConfigured);
    }

    private <T> T oneOf(Named<T> ours, Named<T> other, boolean othersDefaultCounts) {
        boolean set = explicit.has(ours.key);
        boolean otherSet = explicit.has(other.key);
        require(
                !set || !otherSet || Objects.equals(ours.value, other.value),
                other.key,
                other.value,
                "means the same setting as " + ours.key + ", which is " + ours.value
                        + "; set one of them, or both alike");
        return otherSet || (othersDefaultCounts && !set) ? other.value : ours.value;
    }

    private record Named<T>(String key, T value) {}
}
