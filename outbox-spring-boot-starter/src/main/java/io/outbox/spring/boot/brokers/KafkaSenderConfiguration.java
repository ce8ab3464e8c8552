package io.outbox.spring.boot.brokers;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
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
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.ProducerFactory;

/** Sending to Kafka, with the producer settings of the application's KafkaTemplate and a producer of our own. */
@Import(KafkaSenderConfiguration.Meters.class)
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
            ObjectProvider<KafkaRecordCustomizer> customizers,
            ObjectProvider<ProducerMeters> meters) {
        return new Kafka(
                beans,
                environment,
                new MessageFormat(properties, environment),
                templates,
                customizers,
                meters.getIfAvailable(() -> producer -> () -> {}));
    }

    /** Adds meters of a producer, and takes them away when the result is closed. */
    @FunctionalInterface
    interface ProducerMeters extends Function<Producer<?, ?>, AutoCloseable> {}

    /** The meters that Spring Boot gives to the application's own producers. */
    @ConditionalOnClass({MeterRegistry.class, KafkaClientMetrics.class})
    @ConditionalOnProperty(name = "outbox.metrics.enabled", matchIfMissing = true)
    static class Meters {

        @Bean
        ProducerMeters outboxKafkaProducerMeters(ObjectProvider<MeterRegistry> registries) {
            return producer -> {
                MeterRegistry registry = registries.getIfAvailable();
                if (registry == null) {
                    return () -> {};
                }
                KafkaClientMetrics metrics = new KafkaClientMetrics(producer);
                metrics.bindTo(registry);
                return metrics;
            };
        }
    }

    private record Kafka(
            BeanFactory beans,
            Environment environment,
            MessageFormat format,
            ObjectProvider<KafkaOperations<?, ?>> templates,
            ObjectProvider<KafkaRecordCustomizer> customizers,
            ProducerMeters meters)
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
                    .producerConfig(producerConfig(template, request))
                    .producerMeters(meters)
                    .router(request.router())
                    .deadLetters(request.router()::deadLetterTopic)
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
                    .of(eventType, event, producerConfig(template(request), request), request.router());
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
        private Map<String, Object> producerConfig(KafkaOperations<?, ?> template, Request request) {
            Map<String, Object> config =
                    new HashMap<>(template.getProducerFactory().getConfigurationProperties());
            config.compute(
                    ProducerConfig.CLIENT_ID_CONFIG,
                    (key, id) -> request.clientName(id == null ? null : id.toString(), environment));
            return config;
        }
    }
}
