package io.outbox.spring.boot.brokers;

import io.outbox.Outbox;
import io.outbox.OutboxRouter;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.delivery.Destination;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Auto-configuration of the senders to Kafka and RabbitMQ for the event types of {@link OutboxPublisherProperties}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@Import({KafkaSenderConfiguration.class, RabbitSenderConfiguration.class})
@ConditionalOnClass(Outbox.class)
@ConditionalOnOutboxEnabled
public class OutboxBrokersAutoConfiguration {

    @Bean
    static OutboxedTopics outboxOutboxedTopics(ConfigurableEnvironment environment) {
        return new OutboxedTopics(environment);
    }

    @Bean
    BrokerLanes outboxPublisherLanes(
            OutboxPublisherProperties publisher,
            OutboxSettings outbox,
            Environment environment,
            ObjectProvider<Broker> brokers,
            ObjectProvider<OutboxRouter> router,
            ObjectProvider<JsonCodec> codec) {
        return new BrokerLanesFactory(publisher, outbox, new ExplicitSettings(environment))
                .create(brokers.orderedStream().toList(), router.getIfAvailable(), codec.getIfUnique());
    }

    @Bean
    BrokerLanesCheck outboxPublisherCheck(
            ListableBeanFactory beans,
            BrokerLanes lanes,
            OutboxAssembler assembler,
            ObjectProvider<Destination> destinations) {
        return new BrokerLanesCheck(beans, lanes, assembler, destinations);
    }

    /** Mistakes show at start-up. */
    @Bean
    static LazyInitializationExcludeFilter outboxPublisherIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(BrokerLanesCheck.class);
    }
}
