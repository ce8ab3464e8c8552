package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.FeatureSettings.require;

import io.outbox.Ordering;
import io.outbox.poller.StuckRecovery;
import io.outbox.spring.boot.OutboxGlobalProperties;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.Backend;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.settings.FeatureSettings.OtherName;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Delivery;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Locking;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Monitoring;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Polling;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Purge;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Retry;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Table;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Workers;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Makes {@link OutboxSettings} out of what the application has set, which stays as it was bound.
 *
 * <p>Some settings have two names, one of {@link OutboxProperties} and one of the publisher. The one that the
 * application sets counts; if it sets both, to different values, it is told so and does not start. If it sets neither,
 * the publisher's default counts if there are event types to publish; of the clean-up, also with a setting of the
 * clean-up; that tables are created, also with a consumer.
 *
 * <p>Without a mode of the application's choice, one follows from the rest: with claim locking, or with event types to
 * publish, any number of instances may deliver; with the publisher turned off, this one delivers nothing.
 */
public final class SettingsDecision {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final List<String> RECOVERY_SCHEDULE = Stream.of("batch-size", "initial-delay", "fixed-delay")
            .map(setting -> PublisherKeys.of("stuck-recovery." + setting))
            .toList();

    private final ExplicitSettings explicit;
    private final OutboxGlobalProperties global;
    private final OutboxPublisherProperties publisher;
    private final Map<String, OtherName> otherNames;
    private final boolean publishes;
    private final boolean cleansUp;
    private final boolean isConsumerOnly;

    public SettingsDecision(
            ExplicitSettings explicit, OutboxGlobalProperties global, OutboxPublisherProperties publisher) {
        this.explicit = explicit;
        this.global = global;
        this.publisher = publisher;
        this.otherNames = publisher.enabled()
                ? FeatureSettings.otherNames(global, publisher)
                : FeatureSettings.otherNames(global);
        this.publishes = publisher.enabled() && !publisher.events().isEmpty();
        this.cleansUp = publishes || (publisher.enabled() && explicit.hasAnyBelow(PublisherKeys.of("clean-up")));
        this.isConsumerOnly = explicit.isConsumerOnly();
    }

    /** Returns the settings of an outbox whose properties are made by code and complete. */
    public static OutboxSettings of(OutboxProperties outbox) {
        return new SettingsDecision(
                        ExplicitSettings.none(),
                        new OutboxGlobalProperties(),
                        FeatureSettings.defaultsOf(OutboxPublisherProperties.class))
                .decide(outbox);
    }

    /** Checks every value, and decides. */
    public OutboxSettings decide(OutboxProperties outbox) {
        Stream.of(outbox, global, publisher).forEach(properties -> FeatureSettings.check(properties, explicit));
        checkRetry(outbox.getRetry());
        Mode mode = mode(outbox);
        OutboxSettings settings = new OutboxSettings(
                mode, table(outbox), delivery(outbox, mode), purge(outbox, mode), monitoring(outbox));
        warnOfShortTimes(settings);
        new PointlessSettings(explicit, isConsumerOnly ? Optional.empty() : Optional.of(settings)).warn();
        return settings;
    }

    private void checkRetry(OutboxProperties.Retry retry) {
        require(
                retry.getMaxDelay().compareTo(retry.getBaseDelay()) >= 0,
                FeatureSettings.chosenKey(OutboxKeys.RETRY_MAX_DELAY, explicit),
                retry.getMaxDelay(),
                "must not be less than outbox.retry.base-delay, which is " + retry.getBaseDelay());
    }

    /** Such times work in tests. */
    private void warnOfShortTimes(OutboxSettings settings) {
        Duration lockTimeout = settings.delivery().locking().lockTimeout();
        if (settings.mode() == Mode.MULTI_NODE && lockTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
            warnOfShortTime(
                    OutboxKeys.LOCK_TIMEOUT,
                    lockTimeout,
                    "a node that stands still for longer, in a garbage collection for example, loses its events to others, and"
                            + " both deliver them. Set it to seconds or minutes");
        }
        settings.purge()
                .map(Purge::retention)
                .filter(retention -> !retention.isZero() && retention.compareTo(Duration.ofMinutes(1)) < 0)
                .ifPresent(retention -> warnOfShortTime(
                        OutboxKeys.PURGE_RETENTION,
                        retention,
                        "DEAD events, too, are deleted before you can look at or replay them. Set it to hours or"
                                + " days, or to 0 to delete what is done and keep DEAD events"));
    }

    private void warnOfShortTime(String key, Duration time, String consequence) {
        OtherName other = otherNames.get(key);
        String chosenKey =
                other != null && explicit.has(other.key()) ? other.key() : FeatureSettings.chosenKey(key, explicit);
        LOG.log(Level.WARNING, "{0}={1} is short: {2}", chosenKey, DurationText.of(time), consequence);
    }

    private Mode mode(OutboxProperties outbox) {
        boolean locks = outbox.getClaimLocking().isEnabled();
        boolean refusesLocks = !locks && explicit.has(OutboxKeys.LOCKING);
        if (explicit.has(OutboxKeys.MODE) || outbox.getMode() != Mode.SINGLE_NODE) {
            boolean several = outbox.getMode() == Mode.MULTI_NODE;
            require(
                    several || !locks,
                    OutboxKeys.LOCKING,
                    true,
                    "takes effect only when outbox.mode is multi-node, but that is "
                            + SettingText.of(outbox.getMode()));
            require(
                    !several || !refusesLocks,
                    OutboxKeys.LOCKING,
                    false,
                    "must not be false when outbox.mode is multi-node, where nodes would deliver each other's events"
                            + " without");
            return outbox.getMode();
        }
        if (!publisher.enabled()) {
            require(
                    !locks,
                    OutboxKeys.LOCKING,
                    true,
                    "does not fit " + PublisherKeys.ENABLED + "=false: nothing is delivered");
            LOG.log(
                    Level.INFO,
                    isConsumerOnly
                            ? "{0} is false, so this instance only consumes events, and there is no outbox; set {1} if it"
                                    + " is to write events or to deliver them to listeners"
                            : "{0} is false, so this instance only writes events and leaves their delivery and purge to"
                                    + " others; set {1} if it is to deliver to listeners",
                    PublisherKeys.ENABLED,
                    OutboxKeys.MODE);
            return Mode.WRITER_ONLY;
        }
        require(
                !publishes || !refusesLocks,
                OutboxKeys.LOCKING,
                false,
                "does not fit " + PublisherKeys.of("events") + ", which several instances may deliver; set "
                        + OutboxKeys.MODE + " to single-node if there is only one");
        return locks || publishes ? Mode.MULTI_NODE : Mode.SINGLE_NODE;
    }

    private Table table(OutboxProperties outbox) {
        return new Table(
                outbox.getTableName(),
                inForce(
                        OutboxKeys.SCHEMA_INITIALIZE,
                        outbox.getSchema().getInitialize(),
                        creates -> Boolean.FALSE.equals(creates)
                                ? DatabaseInitializationMode.NEVER
                                : DatabaseInitializationMode.ALWAYS,
                        publishes || explicit.consumes()),
                outbox.getBackend() == Backend.REDIS ? outbox.getRedis().getName() : null);
    }

    private Delivery delivery(OutboxProperties outbox, Mode mode) {
        OutboxProperties.Retry retry = outbox.getRetry();
        OutboxProperties.Poller poller = outbox.getPoller();
        return new Delivery(
                workers(outbox.getDispatcher()),
                new Retry(retry.getBaseDelay(), retry.getMaxDelay()),
                new Polling(
                        poller.getInterval(), poller.getMinInterval(), poller.ownBatchSize(), poller.getSkipRecent()),
                locking(outbox, mode),
                outbox.getErrors().getStackTraces(),
                outbox.isAutoStartup(),
                outbox.getOrdering() == OutboxProperties.OrderBy.KEY ? ordering(outbox.getKeyed()) : null);
    }

    private static Ordering ordering(OutboxProperties.Keyed keyed) {
        Ordering ordering = Ordering.byKey()
                .except(keyed.getExceptTypes().toArray(String[]::new))
                .exceptSubscriptions(keyed.getExceptSubscriptions().toArray(String[]::new))
                .onExhausted(keyed.getOnExhausted());
        return keyed.isLockingWrites() ? ordering.lockingWrites() : ordering;
    }

    private Workers workers(OutboxProperties.Dispatcher dispatcher) {
        return new Workers(
                inForce(OutboxKeys.WORKER_COUNT, dispatcher.getWorkerCount(), Integer.class, publishes),
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
                inForce(OutboxKeys.LOCK_TIMEOUT, locking.getLockTimeout(), Duration.class, publishes),
                stuckRecovery(mode),
                outbox.getUnroutableGrace());
    }

    /** Returns the schedule if the application sets one; the engine's own, with every poll, is quicker. */
    private StuckRecovery stuckRecovery(Mode mode) {
        if (!publisher.enabled()
                || mode != Mode.MULTI_NODE
                || RECOVERY_SCHEDULE.stream().noneMatch(explicit::has)) {
            return null;
        }
        OutboxPublisherProperties.StuckRecovery settings = publisher.stuckRecovery();
        return new StuckRecovery(settings.batchSize(), settings.initialDelay(), settings.fixedDelay());
    }

    private Optional<Purge> purge(OutboxProperties outbox, Mode mode) {
        OutboxProperties.Purge purge = outbox.getPurge();
        OutboxPublisherProperties.CleanUp cleanUp = publisher.cleanUp();
        boolean enabled = inForce(OutboxKeys.PURGE, purge.isEnabled(), Boolean.class, cleansUp);
        // purging by age, as writer-only does, would take events from the instances that deliver
        boolean othersPurge = !publisher.enabled() && !explicit.has(OutboxKeys.MODE);
        Purge decided = new Purge(
                inForce(OutboxKeys.PURGE_RETENTION, purge.getRetention(), Duration.class, cleansUp),
                cleansUp && !explicit.has(OutboxKeys.PURGE),
                inForce(OutboxKeys.PURGE_BATCH_SIZE, purge.getBatchSize(), Integer.class, cleansUp),
                inForce(OutboxKeys.PURGE_INTERVAL, purge.getInterval(), Duration.class, cleansUp),
                purgeInitialDelay(cleanUp));
        boolean wanted = enabled || isWantedBy(decided.retention(), mode);
        return wanted && !othersPurge ? Optional.of(decided) : Optional.empty();
    }

    /** To keep nothing is to delete, unless the application says otherwise, or delivers nothing that could be done. */
    private boolean isWantedBy(Duration retention, Mode mode) {
        return retention.isZero()
                && mode != Mode.WRITER_ONLY
                && !explicit.has(OutboxKeys.PURGE)
                && !explicit.has(PublisherKeys.CLEAN_UP);
    }

    private Duration purgeInitialDelay(OutboxPublisherProperties.CleanUp cleanUp) {
        boolean counts = cleansUp
                && (!explicit.has(OutboxKeys.PURGE) || explicit.has(PublisherKeys.of("clean-up.initial-delay")));
        return counts ? cleanUp.initialDelay() : Duration.ZERO;
    }

    private Monitoring monitoring(OutboxProperties outbox) {
        OutboxProperties.Metrics metrics = outbox.getMetrics();
        boolean gauges = publisher.enabled() && publisher.metrics().gauge().enabled();
        require(
                !gauges || metrics.isEnabled(),
                PublisherKeys.of("metrics.gauge.enabled"),
                true,
                "outbox.metrics.enabled is false; there are either gauges or no meters at all");
        return new Monitoring(
                metrics.isEnabled(), metrics.getNamePrefix(), outbox.getHealth().getMaxLag());
    }

    private <T> T inForce(String key, T value, Class<T> type, boolean othersDefaultCounts) {
        return inForce(key, value, (Function<Object, T>) type::cast, othersDefaultCounts);
    }

    /** Returns the value that counts of a setting that may have another name. */
    private <T> T inForce(String key, T value, Function<Object, T> translation, boolean othersDefaultCounts) {
        OtherName other = otherNames.get(key);
        if (other == null) {
            return value;
        }
        String chosenKey = FeatureSettings.chosenKey(key, explicit);
        boolean set = explicit.has(chosenKey);
        boolean otherSet = explicit.has(other.key());
        T otherValue = translation.apply(other.value());
        require(
                !set || !otherSet || value.equals(otherValue),
                other.key(),
                otherValue,
                "means the same setting as " + chosenKey + ", which is " + value
                        + "; set only one of them, or both to the same value");
        return otherSet || (othersDefaultCounts && !set) ? otherValue : value;
    }
}
