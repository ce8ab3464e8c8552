package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.OutboxPublisher;
import io.outbox.testservers.RabbitServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.ConnectionNameStrategy;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** The publisher in front of a real RabbitMQ: addresses, unroutable events. */
class RabbitPublisherTest {

    private final String exchange = "orders-" + UUID.randomUUID();

    private ApplicationContextRunner runner(String addresses, String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.rabbitmq.addresses=" + addresses,
                        "outbox.publisher.sender.type=rabbit_mq",
                        "outbox.publisher.events.placed.topic=" + exchange,
                        "outbox.publisher.defaults.fixed-delay=200ms")
                .withPropertyValues(properties);
    }

    private static void publish(BeanFactory context, String eventType, Object payload) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish(eventType, payload));
    }

    private static List<Map<String, Object>> rows(BeanFactory context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT status, attempts, last_error FROM outbox_event");
    }

    private static Connection connect(RabbitServer server) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private void declare(Channel channel, String queue) throws Exception {
        channel.exchangeDeclare(exchange, "direct", true);
        channel.queueDeclare(queue, true, false, false, null);
        channel.queueBind(queue, exchange, "placed");
    }

    @Test
    void findsTheNodeOfAClusterThatIsThere() throws Exception {
        RabbitServer server = RabbitServer.shared();
        try (Connection connection = connect(server);
                Channel channel = connection.createChannel()) {
            declare(channel, exchange);
            runner("amqp://guest:guest@127.0.0.1:1," + server.uri()).run(context -> {
                publish(context, "placed", 1);
                await().untilAsserted(
                                () -> assertThat(channel.messageCount(exchange)).isEqualTo(1));
            });
        }
    }

    @Test
    void countsAnEventForNoQueueAsFailed() throws Exception {
        RabbitServer server = RabbitServer.shared();
        try (Connection connection = connect(server);
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(exchange, "direct");
            runner(
                            server.uri(),
                            "outbox.publisher.defaults.max-retries=1",
                            "outbox.publisher.defaults.backoff.enabled=false")
                    .run(context -> {
                        publish(context, "placed", 1);
                        await().untilAsserted(() -> assertThat(rows(context))
                                .singleElement()
                                .satisfies(row -> {
                                    assertThat(row.get("STATUS")).hasToString("3");
                                    assertThat(row.get("ATTEMPTS")).hasToString("2");
                                    assertThat((String) row.get("LAST_ERROR")).contains("NO_ROUTE");
                                }));
                    });
        }
    }

    static class Named {

        @Bean
        ConnectionNameStrategy names(Environment environment) {
            return connections -> environment.getProperty("connections");
        }
    }

    @Test
    void itsConnectionIsNamedAfterTheApplicationOrByItsStrategy() throws Exception {
        RabbitServer server = RabbitServer.shared();
        String name = "shop-" + UUID.randomUUID();
        try (Connection connection = connect(server);
                Channel channel = connection.createChannel()) {
            declare(channel, exchange);
            ApplicationContextRunner application = runner(server.uri(), "spring.application.name=" + name);
            assertConnectionIsNamed(application, name + "-outbox", channel, 1);
            assertConnectionIsNamed(
                    application
                            .withUserConfiguration(Named.class)
                            .withPropertyValues("connections=" + name + "-by-strategy"),
                    name + "-by-strategy-outbox",
                    channel,
                    2);
        }
    }

    private void assertConnectionIsNamed(
            ApplicationContextRunner application, String name, Channel channel, int messages) {
        application.run(context -> {
            publish(context, "placed", 1);
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(channel.messageCount(exchange)).isEqualTo(messages));
            assertThat(RabbitServer.shared().control("list_connections", "client_properties"))
                    .contains(name);
        });
    }
}
