package io.outbox.spring.boot.brokers;

import io.outbox.BatchEventListener;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.kafka.KafkaRecordCustomizer;
import io.outbox.spi.PayloadSerializer;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.ProducerFactory;

/** Sending to Kafka, with the producer settings of the application's KafkaTemplate and a producer of our own. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({KafkaEventPublisher.class, KafkaOperations.class})
class KafkaSenderConfiguration {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    /** What makes of a text or of JSON what the outbox would make of it. */
    private static final List<String> USUAL_SERIALIZERS =
            List.of(".StringSerializer", ".ByteArraySerializer", ".JsonSerializer", ".JacksonJsonSerializer");

    @Bean
    Broker outboxKafkaBroker(
            BeanFactory beans,
            OutboxPublisherProperties properties,
            Environment environment,
            ObjectProvider<KafkaOperations<?, ?>> templates,
            ObjectProvider<KafkaRecordCustomizer> customizers) {
        return new Kafka(beans, new MessageFormat(properties, environment), templates, customizers);
    }

    private record Kafka(
            BeanFactory beans,
            MessageFormat format,
            ObjectProvider<KafkaOperations<?, ?>> templates,
            ObjectProvider<KafkaRecordCustomizer> customizers)
            implements Broker {

        @Override
        public SenderType type() {
            return SenderType.KAFKA;
        }

        @Override
        public BatchEventListener create(Request request) {
            KafkaOperations<?, ?> template = notTransactional(template(request), request);
            warnOfSerializers(template.getProducerFactory());
            KafkaEventPublisher.Builder publisher = KafkaEventPublisher.builder()
                    .producerConfig(producerConfig(template))
                    .router(request.router())
                    .headerNames(format.headerNames())
                    .batchSize(request.batchSize())
                    .emergencyTimeout(request.emergencyTimeout());
            format.cloudEventSource().ifPresent(publisher::cloudEvents);
            customizers.orderedStream().forEach(publisher::customizer);
            return publisher.build();
        }

        @Override
        public PayloadSerializer serializer(String eventType, OutboxEventProperties event, Request request) {
            return new KafkaSerializers(beans)
                    .of(eventType, event, producerConfig(template(request)), request.router());
        }

        /** Somebody who has set one may believe that it is used. */
        private void warnOfSerializers(ProducerFactory<?, ?> producers) {
            if (format.hasSerializers()) {
                return;
            }
            for (String setting :
                    List.of(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG)) {
                Object serializer = producers.getConfigurationProperties().get(setting);
                String name = serializer instanceof Class<?> type ? type.getName() : String.valueOf(serializer);
                if (serializer != null && USUAL_SERIALIZERS.stream().noneMatch(name::endsWith)) {
                    LOG.log(
                            Level.WARNING,
                            "The {0} of the KafkaTemplate, {1}, is not used by the outbox: keys are texts, and payloads"
                                    + " are JSON; set {2} for event types whose payloads it is to make",
                            setting,
                            name,
                            PublisherKeys.of("events.<type>.serializer"));
                }
            }
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
                        request.beanNameKey(),
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
