package io.outbox.spring.boot.consumer.brokers;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.consumer.IdempotentConsumers;
import io.outbox.spring.boot.consumer.OutboxConsumerAutoConfiguration;
import org.springframework.amqp.core.Message;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of {@link Idempotent} on {@code @KafkaListener} and {@code @RabbitListener}, and of the conversion
 * of their payloads by {@code outbox.consumer.mappings}. It is there without a consumer too, and where the outbox is
 * turned off, to refuse listeners that need one.
 */
@AutoConfiguration(after = OutboxConsumerAutoConfiguration.class)
@ConditionalOnClass(OutboxIdempotentConsumer.class)
@Import({KafkaListenersConfiguration.class, RabbitListenersConfiguration.class})
public class OutboxBrokerListenersAutoConfiguration {

    @Bean
    BrokerListeners outboxBrokerListeners(
            ObjectProvider<IdempotentConsumers> consumers, ObjectProvider<JdbcInbox> inbox) {
        return new BrokerListeners(consumers, inbox);
    }

    @Bean
    IdempotentCheck outboxIdempotentCheck(ListableBeanFactory beans, BrokerListeners listeners) {
        return new IdempotentCheck(beans, listeners);
    }

    /** Messages of Spring AMQP, also where its listeners of RabbitMQ are not on the class path. */
    @ConditionalOnClass(Message.class)
    static class AmqpMessages {

        @Bean
        AmqpMessageHeaderReader outboxAmqpMessageHeaderReader() {
            return new AmqpMessageHeaderReader();
        }
    }
}
