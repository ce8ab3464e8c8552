package io.outbox.spring.boot.internal.delivery;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.Outbox;
import io.outbox.micrometer.OutboxDlqGauges;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.brokers.BrokerLanes;
import io.outbox.spring.boot.internal.settings.ConditionalOnPublisherEnabled;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Dead letters, where the application wants them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "outbox.publisher.dlq.enabled")
@ConditionalOnPublisherEnabled
public class DeadLetterConfiguration {

    @Bean
    DeadLetterSettings outboxDeadLetterSettings(Environment environment, OutboxPublisherProperties publisher) {
        return DeadLetterSettings.of(new ExplicitSettings(environment), publisher)
                .orElseThrow();
    }

    /** Gauges of how many dead letters there are: they ask the database. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterRegistry.class, OutboxDlqGauges.class})
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnProperty(name = "outbox.publisher.dlq.metrics.gauge.enabled")
    static class Gauges {

        @Bean
        OutboxDlqGauges outboxDlqGauges(
                MeterRegistry registry,
                OutboxSettings settings,
                OutboxPublisherProperties publisher,
                ObjectProvider<Outbox> outboxes,
                ObjectProvider<BrokerLanes> lanes) {
            return new OutboxDlqGauges(
                    registry,
                    settings.monitoring().meterPrefix(),
                    () -> outboxes.stream()
                            .flatMap(outbox -> outbox.deadLetters().stream())
                            .flatMap(letters -> letters.counts().stream())
                            .toList(),
                    publisher.dlq().metrics().gauge().cache().ttls(),
                    lanes.getIfAvailable(BrokerLanes::none).eventTypes());
        }

        /** Nobody asks for the gauges by name. */
        @Bean
        static LazyInitializationExcludeFilter outboxDlqGaugesAreNotLazy() {
            return LazyInitializationExcludeFilter.forBeanTypes(OutboxDlqGauges.class);
        }
    }
}
