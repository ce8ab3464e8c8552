package io.outbox.spring.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.Outbox;
import io.outbox.micrometer.OutboxDlqGauges;
import io.outbox.micrometer.OutboxEventGauges;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of gauges of how many events and dead letters there are, where the application wants them: they
 * ask the database.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(Outbox.class)
@ConditionalOnOutboxEnabled
@ConditionalOnProperty(name = "outbox.publisher.enabled", matchIfMissing = true)
public class OutboxGaugesAutoConfiguration {

    static final String EVENTS = "outbox.publisher.metrics.gauge.enabled";
    static final String EVENT_GAUGES = "outboxEventGauges";
    private static final String DEAD_LETTERS = "outbox.publisher.dlq.metrics.gauge.enabled";

    /** Refuses gauges that nobody would see. */
    @Bean
    @ConditionalOnProperty(name = EVENTS)
    SmartInitializingSingleton outboxEventGaugesCheck(ListableBeanFactory beans) {
        return () -> FeatureSettings.require(
                beans.containsBean(EVENT_GAUGES),
                EVENTS,
                true,
                "needs a MeterRegistry bean, such as that of spring-boot-starter-actuator");
    }

    @ConditionalOnClass({MeterRegistry.class, OutboxEventGauges.class})
    @ConditionalOnBean(MeterRegistry.class)
    static class Gauges {

        @Bean(EVENT_GAUGES)
        @ConditionalOnProperty(name = EVENTS)
        GaugesByOutbox outboxEventGauges(
                MeterRegistry registry,
                OutboxSettings settings,
                OutboxPublisherProperties publisher,
                ListableBeanFactory beans) {
            return new GaugesByOutbox(
                    beans,
                    (tags, outboxes) -> new OutboxEventGauges(
                            registry,
                            settings.monitoring().meterPrefix(),
                            tags,
                            () -> outboxes.stream()
                                    .flatMap(outbox -> outbox.counts().stream())
                                    .toList(),
                            publisher.metrics().gauge().cache().ttls(),
                            publisher.events().keySet()));
        }

        @Bean
        @ConditionalOnProperty(name = {"outbox.publisher.dlq.enabled", DEAD_LETTERS})
        GaugesByOutbox outboxDlqGauges(
                MeterRegistry registry,
                OutboxSettings settings,
                OutboxPublisherProperties publisher,
                ListableBeanFactory beans) {
            return new GaugesByOutbox(
                    beans,
                    (tags, outboxes) -> new OutboxDlqGauges(
                            registry,
                            settings.monitoring().meterPrefix(),
                            tags,
                            () -> outboxes.stream()
                                    .flatMap(outbox -> outbox.deadLetters().stream())
                                    .flatMap(letters -> letters.counts().stream())
                                    .toList(),
                            publisher.dlq().metrics().gauge().cache().ttls(),
                            publisher.events().keySet()));
        }

        /** Nobody asks for the gauges by name. */
        @Bean
        static LazyInitializationExcludeFilter outboxGaugesAreNotLazy() {
            return LazyInitializationExcludeFilter.forBeanTypes(GaugesByOutbox.class);
        }
    }
}
