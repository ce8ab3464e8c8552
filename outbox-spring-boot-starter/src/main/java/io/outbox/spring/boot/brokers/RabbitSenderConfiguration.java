package io.outbox.spring.boot.brokers;

import com.rabbitmq.client.Address;
import io.outbox.BatchEventListener;
import io.outbox.rabbitmq.RabbitEventPublisher;
import io.outbox.rabbitmq.RabbitMessageCustomizer;
import io.outbox.spi.PayloadSerializer;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionNameStrategy;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.util.ReflectionUtils;

/**
 * Sending to RabbitMQ, with the connection settings of the application's RabbitTemplate and a connection of our own.
 */
@ConditionalOnClass({RabbitEventPublisher.class, RabbitTemplate.class})
@ImportRuntimeHints(RabbitSenderConfiguration.Hints.class)
class RabbitSenderConfiguration {

    @Bean
    Broker outboxRabbitBroker(
            BeanFactory beans,
            OutboxPublisherProperties properties,
            Environment environment,
            ObjectProvider<RabbitTemplate> templates,
            ObjectProvider<RabbitMessageCustomizer> customizers,
            ObjectProvider<ConnectionNameStrategy> names) {
        return new Rabbit(
                beans,
                new MessageFormat(properties, environment),
                new MessageSettings(properties.events()),
                templates,
                customizers,
                new Names(names, environment));
    }

    /** How connections are called, by the application's strategy or else by its name. */
    private record Names(ObjectProvider<ConnectionNameStrategy> strategies, Environment environment) {

        String of(Broker.Request request, AbstractConnectionFactory connections) {
            ConnectionNameStrategy strategy = strategies.getIfUnique();
            String given = strategy == null ? null : strategy.obtainNewConnectionName(connections);
            return request.clientName(given, environment);
        }
    }

    private record Rabbit(
            BeanFactory beans,
            MessageFormat format,
            MessageSettings settings,
            ObjectProvider<RabbitTemplate> templates,
            ObjectProvider<RabbitMessageCustomizer> customizers,
            Names names)
            implements Broker {

        @Override
        public SenderType type() {
            return SenderType.RABBIT_MQ;
        }

        @Override
        public BatchEventListener create(Request request) {
            RabbitTemplate template = template(request);
            if (!(template.getConnectionFactory() instanceof AbstractConnectionFactory connections)) {
                throw new IllegalStateException(
                        "The RabbitTemplate for the outbox must have a connection factory for one"
                                + " broker, such as a CachingConnectionFactory, but has "
                                + template.getConnectionFactory() + "; name another template by "
                                + request.beanNameKey());
            }
            RabbitEventPublisher.Builder publisher = RabbitEventPublisher.builder()
                    .connectionFactory(connections.getRabbitConnectionFactory())
                    .connectionName(names.of(request, connections))
                    .router(request.router())
                    .deadLetters(request.router()::deadLetterTopic)
                    .headerNames(format.headerNames())
                    .customizer(settings)
                    .batchSize(request.batchSize())
                    .emergencyTimeout(request.emergencyTimeout());
            format.cloudEventSource().ifPresent(publisher::cloudEvents);
            customizers.orderedStream().forEach(publisher::customizer);
            List<Address> addresses = addresses(connections);
            return addresses.isEmpty()
                    ? publisher.build()
                    : publisher.addresses(addresses).build();
        }

        @Override
        public PayloadSerializer serializer(String eventType, OutboxEventProperties event, Request request) {
            throw new UnsupportedOperationException("settings with a serializer for RabbitMQ are refused");
        }

        private RabbitTemplate template(Request request) {
            if (request.beanName() != null) {
                return request.named(beans, RabbitTemplate.class);
            }
            RabbitTemplate template = templates.getIfUnique();
            if (template == null) {
                throw request.ambiguous("RabbitTemplate", templates.stream().count());
            }
            return template;
        }

        /** Returns the nodes of the cluster, which the factory tells its subclasses only; empty if it has one host. */
        private static List<Address> addresses(AbstractConnectionFactory connections) {
            Method method = ReflectionUtils.findMethod(AbstractConnectionFactory.class, Hints.ADDRESSES);
            if (method == null) {
                return List.of();
            }
            ReflectionUtils.makeAccessible(method);
            List<Address> addresses = new ArrayList<>();
            if (ReflectionUtils.invokeMethod(method, connections) instanceof List<?> found) {
                found.forEach(address -> addresses.add((Address) address));
            }
            return addresses;
        }
    }

    /** Keeps the method that tells the nodes of a cluster. */
    static final class Hints implements RuntimeHintsRegistrar {

        static final String ADDRESSES = "getAddresses";

        @Override
        public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
            hints.reflection()
                    .registerTypeIfPresent(
                            classLoader,
                            "org.springframework.amqp.rabbit.connection.AbstractConnectionFactory",
                            type -> type.withMethod(ADDRESSES, List.of(), ExecutableMode.INVOKE));
        }
    }
}
