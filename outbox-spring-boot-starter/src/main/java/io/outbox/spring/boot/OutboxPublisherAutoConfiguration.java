package io.outbox.spring.boot;

import io.outbox.DefaultOutboxPublisher;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxRouter;
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
import io.outbox.spring.boot.internal.listeners.ListenerCatalog;
import io.outbox.spring.boot.internal.publishing.Destinations;
import io.outbox.spring.boot.internal.publishing.KnownTypesWriter;
import io.outbox.spring.boot.internal.publishing.OutboxPublishPostProcessor;
import io.outbox.spring.boot.internal.publishing.OutboxedEvents;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
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
            ObjectProvider<SenderFactory> brokers,
            ObjectProvider<OutboxRouter> router,
            ObjectProvider<JsonCodec> codec) {
        return new BrokerLanesFactory(publisher, outbox, new ExplicitSettings(environment))
                .create(brokers.orderedStream().toList(), router.getIfAvailable(), codec.getIfUnique());
    }

    @Bean
    BrokerLanesCheck outboxPublisherCheck(
            ListableBeanFactory beans,
            BrokerLanes lanes,
            OutboxPublisherProperties properties,
            Environment environment,
            OutboxAssembler assembler,
            ListenerCatalog catalog) {
        return new BrokerLanesCheck(beans, lanes, properties, new ExplicitSettings(environment), assembler, catalog);
    }

    /** What an outbox of the application's own making does is not known here. */
    @Bean
    Destinations outboxDestinations(
            ObjectProvider<ListenerRegistry> listeners,
            OutboxFactory outboxes,
            BrokerLanes lanes,
            ListenerCatalog catalog,
            OutboxAssembler assembler) {
        ListenerRegistry registry = listeners.getIfUnique();
        return (aggregateType, eventType) -> registry == null
                || !assembler.isUsed()
                || lanes.eventTypes().contains(eventType)
                || registry.listenerFor(aggregateType, eventType) != null
                || outboxes.listenerFor(aggregateType, eventType) != null
                || catalog.hasSubscription(aggregateType, eventType);
    }

    @Bean
    @ConditionalOnSingleCandidate(OutboxWriter.class)
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "outbox.publisher.enabled", matchIfMissing = true)
    OutboxPublisher outboxPublisher(
            OutboxWriter writer,
            ObjectProvider<JsonCodec> codec,
            Destinations destinations,
            BrokerLanes lanes,
            OutboxSettings settings) {
        boolean delivers = settings.mode() != OutboxProperties.Mode.WRITER_ONLY;
        return new DefaultOutboxPublisher(
                        delivers ? new KnownTypesWriter(writer, destinations) : writer, codec.getIfUnique())
                .serializing(lanes::serializer);
    }

    /**
     * Application events go to the outbox whether or not this application publishes by other means. They reach the listeners
     * of parent contexts, too, so there is one for all. It is made with the first event of any kind, perhaps while the
     * database is still being initialized, so it asks for everything else when it is needed.
     */
    @Bean
    @ConditionalOnMissingBean
    OutboxedEvents outboxedEvents(
            ConfigurableBeanFactory beans,
            ObjectProvider<OutboxPublisher> publisher,
            ObjectProvider<Outbox> outbox,
            ObjectProvider<OutboxFactory> outboxes,
            ObjectProvider<Destinations> destinations,
            ObjectProvider<BrokerLanes> lanes,
            ObjectProvider<JsonCodec> codec) {
        return new OutboxedEvents(
                name -> name.isEmpty()
                        ? publisher.getIfUnique(() -> onlyOne(outbox, outboxes).publisher())
                        : new DefaultOutboxPublisher(
                                        new KnownTypesWriter(
                                                outboxes.getObject().get(name).writer(), destinations.getObject()),
                                        codec.getIfUnique())
                                .serializing(lanes.getObject()::serializer),
                text -> text.isEmpty() ? text : beans.resolveEmbeddedValue(text));
    }

    private static Outbox onlyOne(ObjectProvider<Outbox> outbox, ObjectProvider<OutboxFactory> outboxes) {
        Outbox only = outbox.getIfUnique();
        if (only == null) {
            throw new IllegalStateException("There is not one outbox, but "
                    + outbox.stream().count() + "; @Outboxed(outbox = …) must choose one of "
                    + outboxes.getObject().names());
        }
        return only;
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
