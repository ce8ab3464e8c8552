package io.outbox.spring.boot;

import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

/** Another service, which sends events as an outbox does, but as often as a test wants. */
public final class KafkaMessages implements AutoCloseable {

    private static final Map<String, Object> CLIENT =
            Map.of("bootstrap.servers", KafkaServer.shared().bootstrapServers());

    private final KafkaProducer<String, String> producer =
            new KafkaProducer<>(CLIENT, new StringSerializer(), new StringSerializer());

    public static void createTopics(int partitions, String... names) throws Exception {
        try (Admin admin = Admin.create(CLIENT)) {
            admin.createTopics(Stream.of(names)
                            .map(name -> new NewTopic(name, partitions, (short) 1))
                            .toList())
                    .all()
                    .get();
            for (String name : names) {
                awaitLeaders(admin, name, partitions);
            }
        }
    }

    /**
     * What is sent before a partition has its leader may be overtaken by what is sent next, and be refused for that.
     */
    static void awaitLeaders(Admin admin, String topic, int partitions) {
        Map<TopicPartition, OffsetSpec> ends = IntStream.range(0, partitions)
                .boxed()
                .collect(Collectors.toMap(
                        partition -> new TopicPartition(topic, partition), partition -> OffsetSpec.latest()));
        // a broker under load may not even know yet that there is the topic
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(ExecutionException.class)
                .until(() -> admin.listOffsets(ends).all().get().size() == partitions);
    }

    public static ProducerRecord<String, String> event(String topic, String eventId, String type, String payload) {
        ProducerRecord<String, String> message = new ProducerRecord<>(topic, payload);
        message.headers().add("outbox_event_id", eventId.getBytes(StandardCharsets.UTF_8));
        message.headers().add("outbox_event_type", type.getBytes(StandardCharsets.UTF_8));
        return message;
    }

    /** Returns an event for one partition, whose payload is its id. */
    public static ProducerRecord<String, String> event(String topic, int partition, String eventId) {
        ProducerRecord<String, String> any = event(topic, eventId, "placed", eventId);
        return new ProducerRecord<>(topic, partition, any.key(), any.value(), any.headers());
    }

    /** Sends events whose payloads are their ids. */
    public void send(String topic, String... eventIds) throws Exception {
        sendAll(Stream.of(eventIds)
                .map(eventId -> event(topic, eventId, "placed", eventId))
                .toList());
    }

    public void sendAll(List<ProducerRecord<String, String>> messages) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        messages.forEach(message -> sent.add(producer.send(message)));
        producer.flush();
        for (Future<RecordMetadata> one : sent) {
            one.get();
        }
    }

    /** Returns the offset that a group has committed for the only partition of a topic; 0 if none. */
    static long committed(String group, String topic) {
        OffsetAndMetadata offset = offsets(group).get(new TopicPartition(topic, 0));
        return offset == null ? 0 : offset.offset();
    }

    /** Returns how many messages a group has committed, in all partitions. */
    public static long committed(String group) {
        return offsets(group).values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(String group) {
        return ask(admin -> admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    }

    /** Returns how many partitions each member of a group has. */
    public static List<Integer> members(String group) {
        return ask(admin -> admin.describeConsumerGroups(List.of(group)).all()).get(group).members().stream()
                .map(member -> member.assignment().topicPartitions().size())
                .toList();
    }

    /** Returns how many messages were sent to a topic. */
    public static long sent(String topic) {
        Map<TopicPartition, OffsetSpec> ends =
                ask(admin -> admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().stream()
                        .collect(Collectors.toMap(
                                partition -> new TopicPartition(topic, partition.partition()),
                                partition -> OffsetSpec.latest()));
        return ask(admin -> admin.listOffsets(ends).all()).values().stream()
                .mapToLong(ListOffsetsResultInfo::offset)
                .sum();
    }

    private static <T> T ask(Function<Admin, KafkaFuture<T>> question) {
        try (Admin admin = Admin.create(CLIENT)) {
            return question.apply(admin).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
