package io.outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.spi.MetricsExporter;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.delivery.OutboxFeature;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.function.BiFunction;
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
        return (prefix, outbox) -> new MicrometerMetricsExporter(registry, prefix, Tags.of("outbox", outbox));
    }

    /** A gauge of DEAD events; not for exporters of the application. */
    @Bean
    OutboxFeature outboxDeadGauge() {
        return outbox -> {
            if (outbox.metrics() instanceof MicrometerMetricsExporter meters
                    && outbox.settings().mode() != Mode.WRITER_ONLY) {
                outbox.whenBuilt(
                        built -> meters.gaugeDead(() -> outbox.backend().countDead(null)));
            }
        };
    }

    /** Gauges of what the database tells about itself; not for exporters of the application. */
    @Bean
    OutboxFeature outboxDatabaseGauges() {
        return outbox -> {
            if (outbox.metrics() instanceof MicrometerMetricsExporter meters
                    && outbox.settings().mode() != Mode.WRITER_ONLY) {
                outbox.whenBuilt(built ->
                        built.inspection().ifPresent(store -> meters.gaugeStore(store.figureKinds(), store::figures)));
            }
        };
    }

    /** Gauges of blocked keys, with order by key; not for exporters of the application. */
    @Bean
    OutboxFeature outboxKeyedGauges() {
        return outbox -> {
            if (outbox.metrics() instanceof MicrometerMetricsExporter meters) {
                outbox.whenBuilt(built -> built.blockedKeys().ifPresent(keys -> meters.gaugeBlocked(keys::figures)));
            }
        };
    }

    /** Makes an exporter for a prefix and the name of an outbox. */
    interface Metrics extends BiFunction<String, String, MetricsExporter> {}
}
