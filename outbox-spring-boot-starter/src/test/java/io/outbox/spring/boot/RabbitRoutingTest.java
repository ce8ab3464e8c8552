package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.OutboxPublisher;
import io.outbox.UnrecoverableException;
import io.outbox.rabbitmq.RabbitMessageCustomizer;
import io.outbox.testservers.RabbitServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Where events go in a real RabbitMQ, and with which properties. */
class RabbitRoutingTest {

    private final String exchange = "routed-" + UUID.randomUUID();
    private Connection connection;
    private Channel channel;

    @BeforeEach
    void declare() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(RabbitServer.shared().uri());
        connection = factory.newConnection();
        channel = connection.createChannel();
        channel.exchangeDeclare(exchange, "topic", true);
        channel.queueDeclare(exchange, true, false, false, null);
        channel.queueBind(exchange, exchange, "orders.*");
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
    }

    private ApplicationContextRunner runner(Class<?>... configurations) {
        return TestApplication.runner(configurations)
                .withPropertyValues(
                        "spring.rabbitmq.addresses=" + RabbitServer.shared().uri(),
                        "outbox.publisher.sender.type=rabbit_mq",
                        "outbox.publisher.events.placed.topic=" + exchange,
                        "outbox.publisher.events.placed.routing-key=orders.#{headers['region']}",
                        "outbox.publisher.events.placed.headers.kind=order");
    }

    private GetResponse take() {
        AtomicReference<GetResponse> message = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            message.set(channel.basicGet(exchange, true));
            return message.get() != null;
        });
        return message.get();
    }

    @Test
    void theRoutingKeyAndHeadersFollowTheSettings() {
        runner().run(context -> {
            Deliveries.inTransaction(
                    context,
                    () -> context.getBean(OutboxPublisher.class)
                            .event("placed")
                            .header("region", "eu")
                            .publish("{}"));

            GetResponse message = take();
            assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("orders.eu");
            assertThat(message.getProps().getHeaders().get("kind")).hasToString("order");
            assertThat(message.getProps().getType()).isEqualTo("placed");
            assertThat(message.getProps().getDeliveryMode()).isEqualTo(2);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        @Bean
        RabbitMessageCustomizer correlated() {
            return (outgoing, event) -> outgoing.withProperties(outgoing.properties()
                    .builder()
                    .correlationId(outgoing.properties().getAppId() + "/" + event.eventId())
                    .build());
        }
    }

    @Test
    void messagesHaveThePropertiesOfTheirTypeAndThenWhatACustomizerMakesOfThem() {
        String message = "outbox.publisher.events.placed.message.";
        runner(Customized.class)
                .withPropertyValues(
                        message + "expiration=10m",
                        message + "priority=3",
                        message + "type=order.v1",
                        message + "user-id=guest",
                        message + "app-id=shop",
                        message + "reply-to=answers",
                        message + "content-type=application/vnd.order+json",
                        message + "persistent=false")
                .run(context -> {
                    Deliveries.inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class)
                                    .event("placed")
                                    .header("region", "eu")
                                    .publish("{}"));

                    BasicProperties properties = take().getProps();
                    assertThat(properties.getExpiration()).isEqualTo("600000");
                    assertThat(properties.getPriority()).isEqualTo(3);
                    assertThat(properties.getType()).isEqualTo("order.v1");
                    assertThat(properties.getUserId()).isEqualTo("guest");
                    assertThat(properties.getAppId()).isEqualTo("shop");
                    assertThat(properties.getReplyTo()).isEqualTo("answers");
                    assertThat(properties.getContentType()).isEqualTo("application/vnd.order+json");
                    assertThat(properties.getDeliveryMode()).isEqualTo(1);
                    assertThat(properties.getCorrelationId()).isEqualTo("shop/" + properties.getMessageId());
                });
    }

    @Test
    void theEmptyNameIsTheDefaultExchangeWhoseRoutingKeysAreNamesOfQueues() {
        runner().withPropertyValues(
                        "outbox.publisher.events.direct.topic=",
                        "outbox.publisher.events.direct.routing-key=" + exchange)
                .run(context -> {
                    Deliveries.inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class).publish("direct", "{}"));

                    GetResponse message = take();
                    assertThat(message.getEnvelope().getExchange()).isEmpty();
                    assertThat(message.getEnvelope().getRoutingKey()).isEqualTo(exchange);
                });
    }

    @Test
    void refusesATombstone() {
        runner().run(context -> assertThatThrownBy(() -> Deliveries.inTransaction(
                        context,
                        () -> context.getBean(OutboxPublisher.class)
                                .event("placed")
                                .header("region", "eu")
                                .key("o-1")
                                .publishTombstone()))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessageContaining("RabbitMQ"));
    }
}
