package io.outbox.spring.boot.modulith.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.modulith.shop.OrderCompleted;
import io.outbox.spring.boot.modulith.shop.Orders;
import io.outbox.spring.boot.modulith.shop.ShopApplication;
import io.outbox.testservers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Event types below outbox.publisher.events go to the outbox's own senders, to the target that Spring Modulith has for them. */
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
