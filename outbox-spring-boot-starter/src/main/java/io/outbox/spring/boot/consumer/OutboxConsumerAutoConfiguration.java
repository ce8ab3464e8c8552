package io.outbox.spring.boot.consumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.inbox.InboxMetrics;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.micrometer.MicrometerInboxMetrics;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxConsumerProperties;
import io.outbox.spring.boot.OutboxDataSource;
import io.outbox.spring.boot.OutboxMicrometerAutoConfiguration;
import io.outbox.spring.boot.internal.delivery.Idempotence;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.messaging.Message;

/**
 * Auto-configuration of {@link OutboxIdempotentConsumer}, if {@code outbox.consumer.enabled} is set: in the
 * application's DataSource and in its transactions, with the table of consumed events and its clean-up.
 */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, OutboxMicrometerAutoConfiguration.class})
@ConditionalOnClass(OutboxIdempotentConsumer.class)
@ConditionalOnOutboxEnabled
@ConditionalOnProperty(name = ConsumerKeys.ENABLED)
@EnableConfigurationProperties(OutboxConsumerProperties.class)
public class OutboxConsumerAutoConfiguration {

    @Bean
    ConsumerSettings outboxConsumerSettings(OutboxConsumerProperties properties, Environment environment) {
        return ConsumerDecision.decide(properties, new ExplicitSettings(environment));
    }

    @Bean
    InboxParts outboxInboxParts(
            ListableBeanFactory beans,
            ObjectProvider<DataSource> dataSources,
            @OutboxDataSource ObjectProvider<DataSource> marked) {
        return new InboxParts(beans, dataSources, marked);
    }

    /** Lazy, so that an application with a consumer of its own has no table where it wants none. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    JdbcInbox outboxInbox(InboxParts parts, ConsumerSettings settings, OutboxSettings outbox) {
        return parts.inbox(settings, outbox);
    }

    /** Where listeners with {@link Idempotent} get their consumers from. */
    @Bean
    IdempotentConsumers outboxIdempotentConsumers(ConfigurableListableBeanFactory beans, ConsumerSettings settings) {
        return new IdempotentConsumers(
                settings.name(),
                new ConsumerAssembler(beans, settings),
                text -> text.isEmpty() ? text : beans.resolveEmbeddedValue(text));
    }

    @Bean
    Idempotence outboxIdempotence(IdempotentConsumers consumers) {
        return (listener, annotation, name) ->
                consumers.ofListener(annotation, name).idempotent(listener);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxIdempotentConsumer outboxIdempotentConsumer(IdempotentConsumers consumers) {
        return consumers.ofApplication();
    }

    @Bean
    @ConditionalOnMissingBean
    InboxLifecycle outboxInboxLifecycle(
            ObjectProvider<JdbcInbox> inbox,
            IdempotentConsumers consumers,
            ConsumerSettings settings,
            ObjectProvider<InboxMetrics> metrics,
            OutboxSettings outbox) {
        return new InboxLifecycle(
                inbox::getObject,
                consumers,
                settings,
                metrics.getIfAvailable(() -> InboxMetrics.NOOP),
                outbox.delivery().autoStartup());
    }

    /**
     * A table that is missing shows at start-up, and the clean-up does not wait for somebody to ask for the consumer.
     */
    @Bean
    static LazyInitializationExcludeFilter outboxConsumerIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(OutboxIdempotentConsumer.class, InboxLifecycle.class);
    }

    /** Counters, where the application has meters. */
    @ConditionalOnClass({MeterRegistry.class, MicrometerInboxMetrics.class})
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnProperty(name = "outbox.metrics.enabled", matchIfMissing = true)
    static class Meters {

        @Bean
        @ConditionalOnMissingBean(InboxMetrics.class)
        MicrometerInboxMetrics outboxInboxMetrics(MeterRegistry registry) {
            return new MicrometerInboxMetrics(registry);
        }
    }

    /** Messages of Spring's, as listener methods of all brokers can have them. */
    @ConditionalOnClass(Message.class)
    static class SpringMessages {

        @Bean
        SpringMessageHeaders outboxSpringMessageHeaders() {
            return new SpringMessageHeaders();
        }
    }
}
