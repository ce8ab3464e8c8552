package io.outbox.spring.boot.modulith.nodes;

import io.outbox.spi.JsonCodec;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/**
 * A transport to Kafka that joins as the one of spring-modulith-events-kafka does: through the factory, and not as a
 * bean.
 */
@Configuration(proxyBeanMethods = false)
class KafkaTransport {

    private final OutboxEventExternalizer externalizer;

    KafkaTransport(OutboxEventExternalizerFactory factory, KafkaOperations<Object, Object> kafka, JsonCodec codec) {
        StandardEvaluationContext expressions = new StandardEvaluationContext();
        this.externalizer = factory.forTransport((payload, target) -> {
            BrokerRouting routing = BrokerRouting.of(target, expressions);
            return kafka.send(routing.getTarget(payload), routing.getKey(payload), codec.toJson(payload));
        });
    }

    @Bean
    Runnable kafkaTransportUser() {
        return externalizer::hashCode;
    }
}
