package io.outbox.spring.boot;

import io.outbox.DefaultOutboxPublisher;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.internal.actuator.EventGaugesConfiguration;
import io.outbox.spring.boot.internal.brokers.BrokerLanes;
import io.outbox.spring.boot.internal.brokers.BrokerLanesCheck;
import io.outbox.spring.boot.internal.brokers.BrokerLanesFactory;
import io.outbox.spring.boot.internal.brokers.KafkaSenderConfiguration;
import io.outbox.spring.boot.internal.brokers.RabbitSenderConfiguration;
import io.outbox.spring.boot.internal.brokers.SenderFactory;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.publishing.KnownTypesWriter;
import io.outbox.spring.boot.internal.publishing.OutboxPublishPostProcessor;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of {@link OutboxPublisher}, of {@link OutboxPublish}, and of the sender to Kafka or RabbitMQ for the
 * event types of {@link OutboxPublisherProperties}.
 */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, OutboxJsonAutoConfiguration.class})
@Import({KafkaSenderConfiguration.class, EventGaugesConfiguration.class, RabbitSenderConfiguration.class})
@ConditionalOnClass(Outbox.class)
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
public class OutboxPublisherAutoConfiguration {

    @Bean
    BrokerLanes outboxPublisherLanes(
            OutboxPublisherProperties publisher,
            OutboxSettings outbox,
            Environment environment,
            ObjectProvider<SenderFactory> senders) {
        return new BrokerLanesFactory(publisher, outbox, new ExplicitSettings(environment))
                .create(senders.orderedStream().toList());
    }

    @Bean
    BrokerLanesCheck outboxPublisherCheck(
            ListableBeanFactory beans,
            BrokerLanes lanes,
            OutboxPublisherProperties properties,
            Environment environment,
            OutboxAssembler assembler) {
        return new BrokerLanesCheck(beans, lanes, properties, new ExplicitSettings(environment), assembler);
    }

    @Bean
    @ConditionalOnSingleCandidate(OutboxWriter.class)
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "outbox.publisher.enabled", matchIfMissing = true)
    OutboxPublisher outboxPublisher(
            OutboxWriter writer,
            ObjectProvider<JsonCodec> codec,
            ObjectProvider<ListenerRegistry> listeners,
            ObjectProvider<OutboxFactory> outboxes,
            BrokerLanes lanes,
            OutboxAssembler assembler,
            OutboxSettings settings) {
        ListenerRegistry registry = listeners.getIfUnique();
        boolean typesAreKnown = registry != null && settings.mode() != OutboxProperties.Mode.WRITER_ONLY;
        return new DefaultOutboxPublisher(
                typesAreKnown
                        ? new KnownTypesWriter(
                                writer, lanes.over(withThoseOf(outboxes.getIfAvailable(), registry)), assembler::isUsed)
                        : writer,
                codec.getIfUnique());
    }

    private static ListenerRegistry withThoseOf(OutboxFactory outboxes, ListenerRegistry registry) {
        return outboxes == null
                ? registry
                : (aggregateType, eventType) -> {
                    EventListener listener = registry.listenerFor(aggregateType, eventType);
                    return listener == null ? outboxes.listenerFor(aggregateType, eventType) : listener;
                };
    }

    @Bean
    static OutboxPublishPostProcessor outboxPublishPostProcessor(Environment environment) {
        return new OutboxPublishPostProcessor(
                environment.getProperty("spring.aop.proxy-target-class", boolean.class, true));
    }

    /** Mistakes show at start-up. */
    @Bean
    static LazyInitializationExcludeFilter outboxPublisherIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(BrokerLanesCheck.class);
    }
}
