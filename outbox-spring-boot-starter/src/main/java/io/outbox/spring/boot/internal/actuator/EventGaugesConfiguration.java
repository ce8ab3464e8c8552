package io.outbox.spring.boot.internal.actuator;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.Outbox;
import io.outbox.micrometer.OutboxEventGauges;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.brokers.BrokerLanes;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Gauges of how many events wait, where the application wants them: they ask the database. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({MeterRegistry.class, OutboxEventGauges.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = EventGaugesConfiguration.KEY)
public class EventGaugesConfiguration {

    public static final String KEY = "outbox.publisher.metrics.gauge.enabled";
    public static final String BEAN = "outboxEventGauges";

    @Bean(BEAN)
    @ConditionalOnProperty(name = "outbox.publisher.enabled", matchIfMissing = true)
    OutboxEventGauges outboxEventGauges(
            MeterRegistry registry,
            OutboxSettings settings,
            OutboxPublisherProperties publisher,
            ObjectProvider<Outbox> outboxes,
            BrokerLanes lanes) {
        return new OutboxEventGauges(
                registry,
                settings.monitoring().meterPrefix(),
                () -> outboxes.stream().flatMap(each -> each.counts().stream()).toList(),
                publisher.metrics().gauge().cache().ttls(),
                lanes.eventTypes());
    }

    /** Nobody asks for the gauges by name. */
    @Bean
    static LazyInitializationExcludeFilter outboxEventGaugesAreNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(OutboxEventGauges.class);
    }
}
