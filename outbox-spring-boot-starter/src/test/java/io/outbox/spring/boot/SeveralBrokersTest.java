package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;

/** Kafka and RabbitMQ side by side, and two clusters of Kafka, in one application. */
class SeveralBrokersTest {

    private static final int EVENTS = 20;

    private final String name = "several-" + UUID.randomUUID();

    private ApplicationContextRunner runner(String rabbit, Class<?>... configurations) {
        return TestApplication.runner(configurations)
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "spring.rabbitmq.addresses=" + rabbit,
                        "outbox.dispatcher.drain-timeout=100ms",
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.events.placed.topic=" + name,
                        "outbox.publisher.defaults.fixed-delay=200ms");
    }

    private static void publish(BeanFactory context, String... eventTypes) {
        Deliveries.inTransaction(context, () -> {
            for (int i = 0; i < EVENTS; i++) {
                for (String type : eventTypes) {
                    context.getBean(OutboxPublisher.class).publish(type, Map.of("n", i));
                }
            }
        });
    }

    private static List<Map<String, Object>> rows(BeanFactory context, String eventType) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT status, attempts FROM outbox_event WHERE event_type = ?", eventType);
    }

    private static void awaitDone(BeanFactory context, String eventType) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(rows(context, eventType))
                        .hasSize(EVENTS)
                        .allSatisfy(row -> {
                            assertThat(row.get("STATUS")).hasToString("1");
                            assertThat(row.get("ATTEMPTS")).hasToString("0");
                        }));
    }

    private void declare(RabbitServer server) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(name, "fanout", true);
            channel.queueDeclare(name, true, false, false, null);
            channel.queueBind(name, name, "");
        }
    }

    @Test
    void aBrokerThatIsDownConcernsItsOwnEventsAloneUntilItIsBack() throws Exception {
        try (RabbitServer rabbit = RabbitServer.start();
                KafkaTopic topic = KafkaTopic.create(KafkaServer.shared(), name)) {
            declare(rabbit);
            rabbit.saveDefinitions();
            rabbit.kill();
            runner(rabbit.uri())
                    .withPropertyValues(
                            "outbox.publisher.senders.queues.type=rabbit_mq",
                            "outbox.publisher.events.paid.sender=queues",
                            "outbox.publisher.events.paid.topic=" + name)
                    .run(context -> {
                        publish(context, "paid", "placed");

                        awaitDone(context, "placed");
                        assertThat(topic.awaitRecords(EVENTS)).hasSize(EVENTS);
                        await().atMost(Duration.ofSeconds(30))
                                .untilAsserted(() -> assertThat(context.getBean(Outbox.class)
                                                .status()
                                                .unavailableTypes())
                                        .containsExactly("paid"));
                        assertThat(rows(context, "paid"))
                                .allSatisfy(
                                        row -> assertThat(row.get("ATTEMPTS")).hasToString("0"));

                        rabbit.restart();
                        awaitDone(context, "paid");
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoClusters {

        @Bean
        @Primary
        KafkaTemplate<String, String> here() {
            return template(KafkaServer.shared().bootstrapServers());
        }

        @Bean
        KafkaTemplate<String, String> nowhere() {
            return template("127.0.0.1:1");
        }

        private static KafkaTemplate<String, String> template(String servers) {
            return new KafkaTemplate<>(
                    new DefaultKafkaProducerFactory<>(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers)));
        }
    }

    @Test
    void twoSendersToTheSameKindOfBrokerAreIsolatedToo() throws Exception {
        try (KafkaTopic topic = KafkaTopic.create(KafkaServer.shared(), name)) {
            runner(RabbitServer.shared().uri(), TwoClusters.class)
                    .withPropertyValues(
                            "outbox.publisher.senders.far.type=kafka",
                            "outbox.publisher.senders.far.bean-name=nowhere",
                            "outbox.publisher.senders.far.emergency-timeout=10s",
                            "outbox.publisher.events.paid.sender=far",
                            "outbox.publisher.events.paid.topic=" + name)
                    .run(context -> {
                        publish(context, "paid", "placed");

                        awaitDone(context, "placed");
                        assertThat(topic.awaitRecords(EVENTS)).hasSize(EVENTS);
                        assertThat(rows(context, "paid"))
                                .noneMatch(row -> row.get("STATUS").toString().equals("1"));
                    });
        }
    }
}
