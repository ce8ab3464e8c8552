package io.outbox.spring.boot;

import io.outbox.spring.boot.OutboxProperties.Mode;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Carries the publisher's settings over to those of {@link OutboxProperties} that mean the same.
 *
 * <p>Of two keys for one setting, the one that the application sets counts; if it sets both, to different values, it is
 * told so and does not start. If it sets neither, the publisher's default counts as soon as the publisher is configured.
 *
 * <p>Without a mode of the application's choice, one follows from the publisher: with event types to publish, any number of
 * instances may deliver; with the publisher turned off, this one delivers nothing.
 */
final class SettingsReconciler implements BeanPostProcessor {

    /** The name that Spring Boot gives to the bean that is bound from the application's settings. */
    static final String BOUND = "outbox-" + OutboxProperties.class.getName();

    static final String MODE = "outbox.mode";

    private static final Log LOG = LogFactory.getLog(SettingsReconciler.class);

    private final ExplicitSettings explicit;
    private final ObjectProvider<OutboxGlobalProperties> global;
    private final ObjectProvider<OutboxPublisherProperties> publisher;

    SettingsReconciler(
            ExplicitSettings explicit,
            ObjectProvider<OutboxGlobalProperties> global,
            ObjectProvider<OutboxPublisherProperties> publisher) {
        this.explicit = explicit;
        this.global = global;
        this.publisher = publisher;
    }

    /** Runs after the settings are bound and before they are checked. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof OutboxProperties properties && beanName.equals(BOUND)) {
            OutboxPublisherProperties settings = publisher.getObject();
            boolean configured = settings.isEnabled() && explicit.hasAnyBelow(PublisherKeys.PREFIX);
            chooseMode(properties, settings);
            reconcile(properties, global.getObject(), configured);
            if (settings.isEnabled()) {
                reconcile(properties, settings, configured);
            }
        }
        return bean;
    }

    private void chooseMode(OutboxProperties outbox, OutboxPublisherProperties settings) {
        if (explicit.has(MODE)) {
            return;
        }
        if (!settings.isEnabled()) {
            outbox.setMode(Mode.WRITER_ONLY);
            // purging by age, as writer-only does, would take events from the instances that deliver
            outbox.getPurge().setEnabled(false);
            LOG.info(PublisherKeys.of("enabled") + " is false, so this instance only writes events and leaves their"
                    + " delivery and purge to others; set " + MODE + " if it is to deliver to listeners");
        } else if (!settings.getEvents().isEmpty()) {
            requireLocks(outbox.getClaimLocking());
            outbox.setMode(Mode.MULTI_NODE);
            outbox.getClaimLocking().setEnabled(true);
        }
    }

    private void requireLocks(OutboxProperties.ClaimLocking claimLocking) {
        String key = "outbox.claim-locking.enabled";
        OutboxPublisherPropertiesCheck.require(
                claimLocking.isEnabled() || !explicit.has(key),
                key,
                false,
                "does not fit " + PublisherKeys.of("events") + ", which several instances may deliver; set " + MODE
                        + " to SINGLE_NODE if there is only one");
    }

    private void reconcile(OutboxProperties outbox, OutboxGlobalProperties settings, boolean configured) {
        Integer threads = settings.getThreadPoolSize();
        new Setting<>(
                        "outbox.dispatcher.worker-count",
                        outbox.getDispatcher().getWorkerCount(),
                        outbox.getDispatcher()::setWorkerCount)
                .reconcile(
                        "outbox.thread-pool-size",
                        threads == null ? OutboxGlobalProperties.defaultThreadPoolSize() : threads,
                        configured);
        boolean autoCreate = !Boolean.FALSE.equals(settings.getTables().getAutoCreate());
        new Setting<>("outbox.schema.initialize", outbox.getSchema().getInitialize(), outbox.getSchema()::setInitialize)
                .reconcile(
                        "outbox.tables.auto-create",
                        autoCreate ? DatabaseInitializationMode.ALWAYS : DatabaseInitializationMode.NEVER,
                        configured);
    }

    private void reconcile(OutboxProperties outbox, OutboxPublisherProperties settings, boolean configured) {
        OutboxProperties.Purge purge = outbox.getPurge();
        OutboxPublisherProperties.CleanUp cleanUp = settings.getCleanUp();
        new Setting<>("outbox.purge.enabled", purge.isEnabled(), purge::setEnabled)
                .reconcile(PublisherKeys.of("clean-up.enabled"), cleanUp.isEnabled(), configured);
        new Setting<>("outbox.purge.batch-size", purge.getBatchSize(), purge::setBatchSize)
                .reconcile(PublisherKeys.of("clean-up.batch-size"), cleanUp.getBatchSize(), configured);
        new Setting<>("outbox.purge.retention", purge.getRetention(), purge::setRetention)
                .reconcile(PublisherKeys.of("clean-up.ttl"), cleanUp.getTtl(), configured);
        new Setting<>("outbox.purge.interval-seconds", purge.getIntervalSeconds(), purge::setIntervalSeconds)
                .reconcile(
                        PublisherKeys.of("clean-up.fixed-delay"),
                        cleanUp.getFixedDelay().toSeconds(),
                        configured);
        new Setting<Duration>(
                        "outbox.claim-locking.lock-timeout",
                        outbox.getClaimLocking().getLockTimeout(),
                        outbox.getClaimLocking()::setLockTimeout)
                .reconcile(
                        PublisherKeys.of("stuck-recovery.max-batch-processing-time"),
                        settings.getStuckRecovery().getMaxBatchProcessingTime(),
                        configured);
        if (settings.getMetrics().getGauge().isEnabled() && !outbox.getMetrics().isEnabled()) {
            throw new InvalidConfigurationPropertyValueException(
                    PublisherKeys.of("metrics.gauge.enabled"),
                    true,
                    "outbox.metrics.enabled is false; there are either gauges or no meters at all");
        }
    }

    /** A setting that has a second name. */
    private final class Setting<T> {

        private final String key;
        private final T value;
        private final Consumer<T> setter;

        Setting(String key, T value, Consumer<T> setter) {
            this.key = key;
            this.value = value;
            this.setter = setter;
        }

        void reconcile(String otherKey, T otherValue, boolean otherDefaultCounts) {
            boolean set = explicit.has(key);
            boolean otherSet = explicit.has(otherKey);
            if (set && otherSet && !Objects.equals(value, otherValue)) {
                throw new InvalidConfigurationPropertyValueException(
                        otherKey,
                        otherValue,
                        "means the same setting as " + key + ", which is " + value
                                + "; set one of them, or both alike");
            }
            if (otherSet || (otherDefaultCounts && !set)) {
                setter.accept(otherValue);
            }
        }
    }
}
