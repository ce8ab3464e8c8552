package io.outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.inbox.InboxMetrics;
import io.outbox.micrometer.MicrometerInboxMetrics;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.spi.MetricsExporter;
import io.outbox.spring.boot.internal.delivery.StoreMeters;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import io.outbox.spring.boot.internal.settings.ConsumerKeys;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.function.Function;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Auto-configuration of metrics: on, if the application has a {@link MeterRegistry}. */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, MicrometerMetricsExporter.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "outbox.metrics.enabled", matchIfMissing = true)
@ConditionalOnOutboxEnabled
public class OutboxMicrometerAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean(MetricsExporter.class)
    MicrometerMetricsExporter outboxMetricsExporter(MeterRegistry registry, OutboxSettings settings) {
        return new MicrometerMetricsExporter(registry, settings.monitoring().meterPrefix());
    }

    /** Meters for the outboxes of an {@link OutboxFactory}. */
    @Bean
    Metrics outboxMetrics(MeterRegistry registry) {
        return prefix -> new MicrometerMetricsExporter(registry, prefix);
    }

    /** Counters of the idempotent consumer. */
    @Bean
    @ConditionalOnMissingBean(InboxMetrics.class)
    @ConditionalOnProperty(name = ConsumerKeys.ENABLED)
    MicrometerInboxMetrics outboxInboxMetrics(MeterRegistry registry) {
        return new MicrometerInboxMetrics(registry);
    }

    /** A gauge of DEAD events; not for exporters of the application. */
    @Bean
    StoreMeters outboxStoreMeters() {
        return (exporter, store) -> {
            if (exporter instanceof MicrometerMetricsExporter meters) {
                meters.gaugeDead(() -> store.countDead(null));
            }
        };
    }

    /** Makes an exporter for a prefix. */
    interface Metrics extends Function<String, MetricsExporter> {}
}
