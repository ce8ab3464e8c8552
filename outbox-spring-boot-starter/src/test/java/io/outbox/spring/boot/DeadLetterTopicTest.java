package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.OutboxPublisher;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Events that are sent to a topic or exchange before they go DEAD. */
class DeadLetterTopicTest {

    private final String topic = "orders-" + UUID.randomUUID();
    private final String dead = topic + ".dead";

    private static void publish(BeanFactory context, String eventType) {
        Deliveries.inTransaction(
                context,
                () -> context.getBean(OutboxPublisher.class)
                        .event(eventType)
                        .aggregate("Order", "o-1")
                        .publish(Map.of("id", 1)));
    }

    private static int dead(BeanFactory context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForObject("SELECT count(*) FROM outbox_event WHERE status = 3", Integer.class);
    }

    @Test
    void kafka() throws Exception {
        KafkaServer server = KafkaServer.shared();
        ApplicationContextRunner runner = TestApplication.runner()
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + server.bootstrapServers(),
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.defaults.max-retries=0",
                        "outbox.publisher.defaults.dead-letter-topic=" + dead,
                        "outbox.publisher.events.placed.topic=" + topic,
                        "outbox.publisher.events.placed.partition=7",
                        "outbox.publisher.events.silent.topic=" + topic,
                        "outbox.publisher.events.silent.partition=7",
                        "outbox.publisher.events.silent.dead-letter-topic=");
        KafkaMessages.createTopics(1, topic);
        try (KafkaTopic letters = KafkaTopic.create(server, dead)) {
            runner.run(context -> {
                publish(context, "silent");
                publish(context, "placed");
                await().atMost(Duration.ofSeconds(20)).until(() -> dead(context) == 2);

                ConsumerRecord<String, String> letter = letters.awaitRecords(1).get(0);
                assertThat(letter.key()).isEqualTo("o-1");
                assertThat(letter.value()).isEqualTo("{\"id\":1}");
                assertThat(KafkaTopic.header(letter, "outbox_event_type")).isEqualTo("placed");
                assertThat(KafkaTopic.header(letter, "outbox_dead_cause")).contains("has no partition 7");
                assertThat(KafkaTopic.header(letter, "outbox_dead_attempts")).isEqualTo("1");
                assertThat(KafkaTopic.header(letter, "outbox_dead_target")).isEqualTo(topic);
                assertThat(KafkaTopic.header(letter, "outbox_dead_key")).isEqualTo("o-1");
            });
        }
        assertThat(KafkaMessages.sent(dead)).as("one letter, once").isEqualTo(1);
        assertThat(KafkaMessages.sent(topic)).isZero();
    }

    @Test
    void rabbit() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(RabbitServer.shared().uri());
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(topic, "direct", true); // without a queue
            channel.exchangeDeclare(dead, "fanout", true);
            channel.queueDeclare(dead, true, false, false, null);
            channel.queueBind(dead, dead, "");
            TestApplication.runner()
                    .withPropertyValues(
                            "spring.rabbitmq.addresses=" + RabbitServer.shared().uri(),
                            "outbox.publisher.sender.type=rabbit_mq",
                            "outbox.publisher.events.placed.topic=" + topic,
                            "outbox.publisher.events.placed.routing-key=orders.#{aggregateId}",
                            "outbox.publisher.events.placed.message.expiration=1ms",
                            "outbox.publisher.events.placed.max-retries=0",
                            "outbox.publisher.events.placed.dead-letter-topic=" + topic + ".#{'dead'}")
                    .run(context -> {
                        publish(context, "placed");
                        await().atMost(Duration.ofSeconds(20)).until(() -> dead(context) == 1);
                    });

            GetResponse letter = channel.basicGet(dead, true);
            assertThat(new String(letter.getBody())).isEqualTo("{\"id\":1}");
            assertThat(letter.getMessageCount()).as("one letter, once").isZero();
            assertThat(letter.getProps().getExpiration()).isNull();
            Map<String, Object> headers = letter.getProps().getHeaders();
            assertThat(headers.get("outbox_event_type")).hasToString("placed");
            assertThat(headers.get("outbox_dead_cause").toString()).contains("NO_ROUTE");
            assertThat(headers.get("outbox_dead_attempts")).hasToString("1");
            assertThat(headers.get("outbox_dead_target")).hasToString(topic);
            assertThat(headers.get("outbox_dead_key")).hasToString("orders.o-1");
        }
    }
}
