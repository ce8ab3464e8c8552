package io.outbox.soak;

import io.outbox.OutboxHeaders;
import io.outbox.soak.node.Publishing;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.TestServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A Kafka broker with the topic to which nodes publish, as the harness sees it. */
final class Broker implements AutoCloseable {

    private static final TopicPartition PARTITION = new TopicPartition(Publishing.TOPIC, 0);
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaServer server = besideTheSmallDisk();

    /** The disk that is full for a while is that of the database: a broker does not recover from that by itself. */
    private static KafkaServer besideTheSmallDisk() {
        String disk = System.clearProperty(Database.DATA);
        try {
            return KafkaServer.start();
        } finally {
            if (disk != null) {
                System.setProperty(Database.DATA, disk);
            }
        }
    }

    /** Starts a broker with an empty topic. */
    static Broker start() throws Exception {
        Broker broker = new Broker();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1)))
                    .all()
                    .get();
        }
        return broker;
    }

    TestServer server() {
        return server;
    }

    String address() {
        return server.bootstrapServers();
    }

    /** Returns how often each event is in the topic. */
    Map<String, Integer> messages() {
        Map<String, Integer> messages = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", address()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end) {
                consumer.poll(POLL).forEach(message -> messages.merge(eventId(message), 1, Integer::sum));
            }
        }
        return messages;
    }

    private static String eventId(ConsumerRecord<byte[], byte[]> message) {
        return new String(
                message.headers().lastHeader(OutboxHeaders.EVENT_ID.getValue()).value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.close();
    }
}
