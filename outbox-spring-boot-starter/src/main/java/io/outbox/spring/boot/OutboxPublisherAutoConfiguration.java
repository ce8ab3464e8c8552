package io.outbox.spring.boot;

import io.outbox.DefaultOutboxPublisher;
import io.outbox.EventListener;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.JsonCodec;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of {@link OutboxPublisher}, of {@link OutboxPublish}, and of the sender to Kafka or RabbitMQ for the
 * event types of {@link OutboxPublisherProperties}.
 */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, OutboxJsonAutoConfiguration.class})
@EnableConfigurationProperties({OutboxGlobalProperties.class, OutboxProperties.class, OutboxPublisherProperties.class})
@Import({KafkaSenderConfiguration.class, PublisherGaugesConfiguration.class, RabbitSenderConfiguration.class})
public class OutboxPublisherAutoConfiguration {

    @Bean
    static SettingsReconciler outboxSettingsReconciler(
            Environment environment,
            ObjectProvider<OutboxGlobalProperties> global,
            ObjectProvider<OutboxPublisherProperties> publisher) {
        return new SettingsReconciler(new ExplicitSettings(environment), global, publisher);
    }

    @Bean
    PublisherLanes outboxPublisherLanes(
            OutboxPublisherProperties publisher,
            OutboxProperties outbox,
            Environment environment,
            ObjectProvider<SenderFactory> senders) {
        return new PublisherLanesFactory(publisher, outbox, new ExplicitSettings(environment))
                .create(senders.orderedStream().toList());
    }

    @Bean
    PublisherCheck outboxPublisherCheck(
            ListableBeanFactory beans,
            PublisherLanes lanes,
            OutboxPublisherProperties properties,
            Environment environment) {
        return new PublisherCheck(beans, lanes, properties, new ExplicitSettings(environment));
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
            PublisherLanes lanes,
            OutboxProperties outbox) {
        ListenerRegistry registry = listeners.getIfUnique();
        boolean typesAreKnown =
                lanes.isAdded() && registry != null && outbox.getMode() != OutboxProperties.Mode.WRITER_ONLY;
        return new DefaultOutboxPublisher(
                typesAreKnown
                        ? new KnownTypesWriter(writer, lanes.over(withThoseOf(outboxes.getIfAvailable(), registry)))
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
        return LazyInitializationExcludeFilter.forBeanTypes(
                OutboxGlobalProperties.class, OutboxPublisherProperties.class, PublisherCheck.class);
    }
}
