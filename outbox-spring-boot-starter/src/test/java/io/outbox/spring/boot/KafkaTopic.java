package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A topic and a plain client that reads it from the beginning. */
final class KafkaTopic implements AutoCloseable {

    private final KafkaConsumer<String, String> consumer;
    private final List<ConsumerRecord<String, String>> records = new ArrayList<>();

    private KafkaTopic(KafkaServer server, String name) {
        this.consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", server.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer());
        TopicPartition partition = new TopicPartition(name, 0);
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
    }

    static KafkaTopic create(KafkaServer server, String name) throws Exception {
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", server.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
            KafkaMessages.awaitLeaders(admin, name, 1);
        }
        return new KafkaTopic(server, name);
    }

    List<ConsumerRecord<String, String>> awaitRecords(int count) {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            consumer.poll(Duration.ofMillis(50)).forEach(records::add);
            assertThat(records).hasSizeGreaterThanOrEqualTo(count);
        });
        return List.copyOf(records);
    }

    static String header(ConsumerRecord<String, String> message, String name) {
        return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
