package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxConsumerProperties;
import io.outbox.spring.boot.consumer.ConsumerKeys;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
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
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.support.converter.RecordMessageConverter;

/** Idempotent listeners of Kafka, and the payloads of events for all its listeners. */
@ConditionalOnClass(KafkaListenerEndpointRegistry.class)
@ImportRuntimeHints(KafkaListenersConfiguration.Hints.class)
class KafkaListenersConfiguration {

    private static final String REGISTRY = KafkaListenerConfigUtils.KAFKA_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME;

    @Bean
    static RegistryReplacement outboxKafkaRegistryReplacement() {
        return new RegistryReplacement(REGISTRY, KafkaListenerEndpointRegistry.class, IdempotentKafkaRegistry.class);
    }

    @Bean
    RegistryCheck outboxKafkaRegistryCheck(ListableBeanFactory beans) {
        return new RegistryCheck(beans, REGISTRY, IdempotentKafkaRegistry.class, KafkaListener.class);
    }

    /** Spring Boot gives it to its listener containers, for single messages and for batches. */
    @Bean
    @ConditionalOnOutboxEnabled
    @ConditionalOnProperty(name = ConsumerKeys.ENABLED)
    @Conditional(OnMappings.class)
    @ConditionalOnMissingBean(RecordMessageConverter.class)
    EventRecordConverter outboxEventRecordConverter(OutboxConsumerProperties properties, JsonCodec codec) {
        return new EventRecordConverter(new EventPayloads(properties.mappings(), codec));
    }

    /** Keeps what tells whether the application has a say about failures in transactions of Kafka. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
            hints.reflection()
                    .registerType(
                            TypeReference.of("org.springframework.kafka.config.AbstractKafkaListenerContainerFactory"),
                            type -> type.withField(IdempotentKafkaRegistry.ROLLBACK_PROCESSOR));
        }
    }
}
