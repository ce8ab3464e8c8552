package io.outbox.spring.boot.modulith.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.spring.boot.modulith.shop.OrderCompleted;
import io.outbox.spring.boot.modulith.shop.OrderShipped;
import io.outbox.spring.boot.modulith.shop.Orders;
import io.outbox.spring.boot.modulith.shop.ShopApplication;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Event types below outbox.publisher.events go to the outbox's own senders, to the target that Spring Modulith has for
 * them.
 */
class OwnSendersTest {

    private final KafkaServer kafka = KafkaServer.shared();

    @Test
    void theTargetAndTheKeyAreSpringModuliths() {
        List<String> ids =
                List.of(UUID.randomUUID().toString(), UUID.randomUUID().toString());
        try (ConfigurableApplicationContext shop = start("outbox.publisher.events.OrderCompleted.batch-size=50")) {
            shop.getBean(Orders.class).publish(new OrderCompleted(ids.get(0), 1), new OrderCompleted(ids.get(1), 2));

            assertThat(received("orders", ids)).hasSize(2).first().satisfies(record -> {
                assertThat(record.value()).isEqualTo("{\"id\":\"%s\",\"amount\":1}".formatted(ids.get(0)));
                assertThat(record.headers().lastHeader("outbox_event_type").value())
                        .asString()
                        .isEqualTo("OrderCompleted");
            });
        }
    }

    @Test
    void aTopicOfTheSettingsComesFirst() {
        String id = UUID.randomUUID().toString();
        try (ConfigurableApplicationContext shop = start("outbox.publisher.events.OrderCompleted.topic=other")) {
            shop.getBean(Orders.class).publish(new OrderCompleted(id, 1));

            assertThat(received("other", List.of(id))).hasSize(1);
        }
    }

    @Test
    void onRabbitMqTheTargetIsTheExchangeAndTheKeyTheRoutingKey() throws Exception {
        String exchange = "orders";
        String id = UUID.randomUUID().toString();
        ConnectionFactory rabbit = new ConnectionFactory();
        rabbit.setUri(RabbitServer.shared().uri());
        try (Connection connection = rabbit.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(exchange, "topic", false, true, Map.of());
            String queue = channel.queueDeclare().getQueue();
            channel.queueBind(queue, exchange, id);
            try (ConfigurableApplicationContext shop = ShopApplication.start(
                    List.of(),
                    "spring.rabbitmq.addresses=" + RabbitServer.shared().uri(),
                    "spring.modulith.events.externalization.mode=outbox",
                    "outbox.publisher.sender.type=rabbit_mq",
                    "outbox.publisher.events.OrderCompleted.batch-size=50")) {
                Orders orders = shop.getBean(Orders.class);
                orders.publish(new OrderCompleted(id, 1));

                GetResponse received = await().atMost(Duration.ofSeconds(60))
                        .until(() -> channel.basicGet(queue, true), Objects::nonNull);
                assertThat(received.getEnvelope().getRoutingKey()).isEqualTo(id);
                assertThat(new String(received.getBody(), StandardCharsets.UTF_8))
                        .isEqualTo("{\"id\":\"%s\",\"amount\":1}".formatted(id));
                assertThat(received.getProps().getHeaders().get("outbox_event_type"))
                        .hasToString("OrderCompleted");

                assertThatThrownBy(() -> orders.publish(new OrderShipped(id)))
                        .as("a type that no sender has, where there is no transport")
                        .hasMessageContaining("'OrderShipped' is externalized, but nothing would send it");
                Outbox outbox = shop.getBean(Outbox.class);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> outbox.counts().isEmpty());
                assertWaitsForATransport(shop, outbox);
            }
        }
    }

    /** As after a deployment that has lost its transport. */
    private static void assertWaitsForATransport(ConfigurableApplicationContext shop, Outbox outbox) {
        new TransactionTemplate(shop.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> outbox.writer()
                        .write(EventEnvelope.builder("OrderShipped#externalization")
                                .payloadJson("{\"id\":\"1\"}")
                                .build()));
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(outbox.nodeStatus().unavailable())
                        .singleElement()
                        .satisfies(target ->
                                assertThat(target.cause()).contains("no longer has a Spring Modulith transport")));
    }

    private ConfigurableApplicationContext start(String setting) {
        Topics.create(kafka, "orders");
        Topics.create(kafka, "other");
        return ShopApplication.start(
                List.of(),
                "spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "spring.modulith.events.externalization.mode=outbox",
                "outbox.publisher.sender.type=kafka",
                setting);
    }

    private List<ConsumerRecord<String, String>> received(String topic, List<String> keys) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(Set.of(partition));
            consumer.seekToBeginning(Set.of(partition));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    if (keys.contains(record.key())) {
                        records.add(record);
                    }
                });
                return records.size() >= keys.size();
            });
        }
        return records;
    }
}
