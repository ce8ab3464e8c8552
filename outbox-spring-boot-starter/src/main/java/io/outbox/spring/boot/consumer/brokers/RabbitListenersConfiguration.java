package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxConsumerProperties;
import io.outbox.spring.boot.consumer.ConsumerKeys;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import java.util.List;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.RabbitListenerConfigUtils;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;

/** Idempotent listeners of RabbitMQ, and the payloads of events for all its listeners. */
@ConditionalOnClass(RabbitListenerEndpointRegistry.class)
@ImportRuntimeHints(RabbitListenersConfiguration.Hints.class)
class RabbitListenersConfiguration {

    private static final String REGISTRY = RabbitListenerConfigUtils.RABBIT_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME;

    @Bean
    static RegistryReplacement outboxRabbitRegistryReplacement() {
        return new RegistryReplacement(REGISTRY, RabbitListenerEndpointRegistry.class, IdempotentRabbitRegistry.class);
    }

    @Bean
    RegistryCheck outboxRabbitRegistryCheck(ListableBeanFactory beans) {
        return new RegistryCheck(beans, REGISTRY, IdempotentRabbitRegistry.class, RabbitListener.class);
    }

    /** Spring Boot gives it to its listener containers, and to its template, for which it changes nothing. */
    @Bean
    @ConditionalOnOutboxEnabled
    @ConditionalOnProperty(name = ConsumerKeys.ENABLED)
    @Conditional(OnMappings.class)
    @ConditionalOnMissingBean(MessageConverter.class)
    EventMessageConverter outboxEventMessageConverter(OutboxConsumerProperties properties, JsonCodec codec) {
        return new EventMessageConverter(new EventPayloads(properties.mappings(), codec));
    }

    /** Keeps the channel that is given to listeners, and what tells how messages are answered. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
            hints.proxies().registerJdkProxy(TypeReference.of("com.rabbitmq.client.Channel"));
            for (String handler : IdempotentRabbitRegistry.REJECTING_HANDLERS) {
                hints.reflection()
                        .registerType(
                                TypeReference.of(handler),
                                type -> type.withMethod(
                                        IdempotentRabbitRegistry.FATAL_FAILURES, List.of(), ExecutableMode.INVOKE));
            }
            hints.reflection()
                    .registerType(
                            TypeReference.of(
                                    "org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer"),
                            type -> type.withMethod(
                                            IdempotentRabbitRegistry.DEFAULT_REQUEUE, List.of(), ExecutableMode.INVOKE)
                                    .withMethod(
                                            IdempotentRabbitRegistry.ADVICE_CHAIN, List.of(), ExecutableMode.INVOKE));
        }
    }
}
