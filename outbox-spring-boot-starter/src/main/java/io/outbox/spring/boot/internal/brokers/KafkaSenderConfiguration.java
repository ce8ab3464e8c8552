package io.outbox.spring.boot.internal.brokers;

import io.outbox.BatchEventListener;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaOperations;

/** Sending to Kafka, with the producer settings of the application's KafkaTemplate and a producer of our own. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({KafkaEventPublisher.class, KafkaOperations.class})
public class KafkaSenderConfiguration {

    @Bean
    SenderFactory outboxKafkaSenderFactory(BeanFactory beans, ObjectProvider<KafkaOperations<?, ?>> templates) {
        return new KafkaSenderFactory(beans, templates);
    }

    private record KafkaSenderFactory(BeanFactory beans, ObjectProvider<KafkaOperations<?, ?>> templates)
            implements SenderFactory {

        @Override
        public SenderType type() {
            return SenderType.KAFKA;
        }

        @Override
        public BatchEventListener create(Request request) {
            return KafkaEventPublisher.builder()
                    .producerConfig(producerConfig(notTransactional(template(request), request)))
                    .topic(event -> request.topics().get(event.eventType()))
                    .batchSize(request.batchSize())
                    .emergencyTimeout(request.emergencyTimeout())
                    .build();
        }

        private KafkaOperations<?, ?> template(Request request) {
            if (request.beanName() != null) {
                return request.named(beans, KafkaOperations.class);
            }
            KafkaOperations<?, ?> template = templates.getIfUnique();
            if (template == null) {
                throw request.ambiguous("KafkaTemplate", templates.stream().count());
            }
            return template;
        }

        /** Spring takes the id of transactions out of the producer's settings. */
        private static KafkaOperations<?, ?> notTransactional(KafkaOperations<?, ?> template, Request request) {
            String prefix = template.getProducerFactory().getTransactionIdPrefix();
            if (prefix != null) {
                throw new InvalidConfigurationPropertyValueException(
                        BEAN_NAME_KEY,
                        request.beanName(),
                        "the KafkaTemplate sends in Kafka transactions (transactional.id or transaction-id-prefix is "
                                + prefix + "), which the outbox does not: name one without");
            }
            return template;
        }

        /** Returns the template's settings, under a client id that does not collide with that of its own producer. */
        private static Map<String, Object> producerConfig(KafkaOperations<?, ?> template) {
            Map<String, Object> config =
                    new HashMap<>(template.getProducerFactory().getConfigurationProperties());
            config.computeIfPresent(ProducerConfig.CLIENT_ID_CONFIG, (key, id) -> id + "-outbox");
            return config;
        }
    }
}
