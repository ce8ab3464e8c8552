package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.words;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first events to a topic, whose partitions may not have their leaders yet. */
@Tag("client-lines")
@Timeout(240)
class FreshTopicTest {

    private static final String TOPIC = "fresh";

    private MockProducer<byte[], byte[]> producer = producer(0);

    /** @param partitions of the topic; without any it is left to the producer, which takes the first one */
    private static MockProducer<byte[], byte[]> producer(int partitions) {
        List<PartitionInfo> infos = IntStream.range(0, partitions)
                .mapToObj(partition -> new PartitionInfo(TOPIC, partition, null, null, null))
                .toList();
        Cluster cluster = new Cluster("cluster", List.of(), infos, Set.of(), Set.of());
        return new MockProducer<>(cluster, false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public synchronized void flush() {
                // would acknowledge everything
            }
        };
    }

    @Test
    void untilATopicHasTakenARecordTheOthersWait() throws Exception {
        try (KafkaEventPublisher publisher = publisher()) {
            CompletableFuture<List<BatchOutcome>> outcomes = send(publisher, events(5));
            awaitSent(1);
            await().during(Duration.ofMillis(200))
                    .until(() -> producer.history().size() == 1);

            producer.completeNext();
            awaitSent(5);
            completeAll();
            assertThat(words(outcomes.get(30, TimeUnit.SECONDS))).containsOnly("done");

            CompletableFuture<List<BatchOutcome>> next = send(publisher, events(5));
            awaitSent(10);
            completeAll();
            assertThat(words(next.get(30, TimeUnit.SECONDS))).containsOnly("done");
        }
    }

    @Test
    void thePartitionsOfATopicTakeTheirFirstRecordsOneByOne() throws Exception {
        producer = producer(3);
        AtomicInteger next = new AtomicInteger();
        try (KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                .producer(producer)
                .topic(TOPIC)
                .partition(event -> next.getAndIncrement() % 3)
                .build()) {
            CompletableFuture<List<BatchOutcome>> outcomes = send(publisher, events(9));
            for (int sent = 1; sent <= 3; sent++) {
                int count = sent;
                awaitSent(count);
                await().during(Duration.ofMillis(200))
                        .until(() -> producer.history().size() == count);
                producer.completeNext();
            }

            awaitSent(9);
            completeAll();
            assertThat(words(outcomes.get(30, TimeUnit.SECONDS))).containsOnly("done");
        }
    }

    @Test
    void partitionsThatGetNothingHoldTheOthersUpForAMomentOnly() throws Exception {
        producer = producer(2);
        try (KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                .producer(producer)
                .topic(TOPIC)
                .partition(event -> 0)
                .build()) {
            CompletableFuture<List<BatchOutcome>> first = send(publisher, events(1));
            awaitSent(1);
            producer.completeNext();
            assertThat(words(first.get(30, TimeUnit.SECONDS))).containsOnly("done");
            await().pollDelay(FreshTopic.READY_AFTER.plusMillis(100)).until(() -> true);

            CompletableFuture<List<BatchOutcome>> next = send(publisher, events(5));
            awaitSent(6);
            completeAll();
            assertThat(words(next.get(30, TimeUnit.SECONDS))).containsOnly("done");
        }
    }

    @Test
    void aTopicThatNeverAnsweredIsForgottenWhenNobodySendsToIt() {
        ReachedTopics topics = new ReachedTopics();
        topics.enter("computed-1");
        topics.enter("computed-1");
        topics.leave("computed-1");
        assertThat(topics.fresh()).isEqualTo(1);

        topics.leave("computed-1");

        assertThat(topics.fresh()).isZero();
    }

    @Test
    void anEventThatIsRefusedForWhatItIsSaysNothingAboutTheTopic() throws Exception {
        try (KafkaEventPublisher publisher = publisher()) {
            CompletableFuture<List<BatchOutcome>> outcomes = send(publisher, events(3));
            awaitSent(1);
            producer.errorNext(new RecordTooLargeException("too large"));
            awaitSent(2);
            await().during(Duration.ofMillis(200))
                    .until(() -> producer.history().size() == 2);
            producer.completeNext();
            awaitSent(3);
            completeAll();

            assertThat(words(outcomes.get(30, TimeUnit.SECONDS))).containsExactly("dead", "done", "done");
        }
    }

    @Test
    void whatATopicThatDoesNotAnswerWouldGetIsNotSent() throws Exception {
        try (KafkaEventPublisher publisher = publisher()) {
            CompletableFuture<List<BatchOutcome>> outcomes = send(publisher, events(3));
            awaitSent(1);
            producer.errorNext(new TimeoutException("not in time"));

            assertThat(words(outcomes.get(30, TimeUnit.SECONDS))).containsOnly("unavailable");
            assertThat(producer.history()).hasSize(1);
        }
    }

    @Test
    void ofSeveralWorkersOneGoesFirst() throws Exception {
        try (KafkaEventPublisher publisher = publisher()) {
            List<CompletableFuture<List<BatchOutcome>>> workers =
                    List.of(send(publisher, events(3)), send(publisher, events(3)), send(publisher, events(3)));
            awaitSent(1);
            await().during(Duration.ofMillis(200))
                    .until(() -> producer.history().size() == 1);

            producer.completeNext();
            awaitSent(9);
            completeAll();
            for (CompletableFuture<List<BatchOutcome>> worker : workers) {
                assertThat(words(worker.get(30, TimeUnit.SECONDS))).containsOnly("done");
            }
        }
    }

    @Test
    void topicsThatAreNewKeepTheOrderOfTheirFirstEvents() {
        KafkaServer server = KafkaServer.shared();
        Topics topics = new Topics(server);
        for (int i = 0; i < 20; i++) {
            String topic = topics.createUnready(5);
            List<EventEnvelope> events = IntStream.range(0, 50)
                    .mapToObj(n -> EventEnvelope.builder("t")
                            .aggregateId("order-" + n % 7)
                            .payloadJson("{}")
                            .build())
                    .toList();
            try (KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                    .producerConfig(Map.of("bootstrap.servers", server.bootstrapServers()))
                    .topic(topic)
                    .build()) {
                // a busy broker may not know the topic yet: then none is sent, and all come again
                await().atMost(Duration.ofSeconds(30)).until(() -> {
                    List<String> words = words(publisher.onEvents(events));
                    assertThat(Set.copyOf(words)).hasSize(1).isSubsetOf("deferred", "done");
                    return words.contains("done");
                });
            }
            assertThat(idsByKey(topics.read(topic)))
                    .isEqualTo(events.stream()
                            .collect(
                                    groupingBy(EventEnvelope::aggregateId, mapping(EventEnvelope::eventId, toList()))));
        }
    }

    private static Map<String, List<String>> idsByKey(List<ConsumerRecord<byte[], byte[]>> messages) {
        return messages.stream()
                .collect(groupingBy(
                        message -> new String(message.key(), StandardCharsets.UTF_8),
                        mapping(message -> Topics.header(message, OutboxHeaders.EVENT_ID.getValue()), toList())));
    }

    private KafkaEventPublisher publisher() {
        return KafkaEventPublisher.builder().producer(producer).topic(TOPIC).build();
    }

    private static CompletableFuture<List<BatchOutcome>> send(
            KafkaEventPublisher publisher, List<EventEnvelope> events) {
        CompletableFuture<List<BatchOutcome>> outcomes = new CompletableFuture<>();
        new Thread(() -> outcomes.complete(publisher.onEvents(events)), "worker").start();
        return outcomes;
    }

    private void awaitSent(int events) {
        await().atMost(Duration.ofSeconds(30)).until(() -> producer.history().size() == events);
    }

    private void completeAll() {
        while (producer.completeNext()) {
            // until nothing is left
        }
    }
}
