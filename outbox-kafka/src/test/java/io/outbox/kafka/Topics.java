package io.outbox.kafka;

import static org.awaitility.Awaitility.await;

import io.outbox.OutboxHeaders;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Topics of a broker, written to by the code under test and read by a plain client. */
final class Topics {

    private final KafkaServer server;

    Topics(KafkaServer server) {
        this.server = server;
    }

    String create() {
        return create(1, Map.of());
    }

    String create(int partitions, Map<String, String> config) {
        try (Admin admin = Admin.create(client())) {
            String topic = create(admin, partitions, config);
            awaitLeaders(admin, topic, partitions);
            return topic;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot create a topic", e);
        }
    }

    /** Creates a topic whose partitions may still lack their leaders. */
    String createUnready(int partitions) {
        try (Admin admin = Admin.create(client())) {
            return create(admin, partitions, Map.of());
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot create a topic", e);
        }
    }

    /** Creates a topic that was missing. */
    void createNamed(String topic) throws Exception {
        try (Admin admin = Admin.create(client())) {
            create(admin, topic, 1, Map.of());
        }
    }

    private static String create(Admin admin, int partitions, Map<String, String> config)
            throws InterruptedException, ExecutionException, TimeoutException {
        return create(admin, "topic-" + UUID.randomUUID(), partitions, config);
    }

    private static String create(Admin admin, String topic, int partitions, Map<String, String> config)
            throws InterruptedException, ExecutionException, TimeoutException {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config)))
                .all()
                .get(30, TimeUnit.SECONDS);
        return topic;
    }

    /**
     * A producer whose first request is too early for the leader of a partition, and whose second is not, has its order
     * mixed up; the first is refused then until it is given up.
     */
    private static void awaitLeaders(Admin admin, String topic, int partitions) {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        // a broker under load may not even know yet that there is the topic
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(ExecutionException.class)
                .until(() -> admin.listOffsets(ends).all().get().size() == partitions);
    }

    /** Reads everything that is in the topic now. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(client(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(messages::add);
            }
        }
        return messages;
    }

    /** Reads the event ids of everything that is in the topic now. */
    List<String> eventIds(String topic) {
        return read(topic).stream()
                .map(message -> header(message, OutboxHeaders.EVENT_ID.getValue()))
                .toList();
    }

    static String header(ConsumerRecord<byte[], byte[]> message, String name) {
        return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    private Map<String, Object> client() {
        return Map.of("bootstrap.servers", server.bootstrapServers());
    }
}
