package io.outbox.kafka;

import static io.outbox.kafka.Outcomes.events;
import static io.outbox.kafka.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.testservers.KafkaServer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Cluster;
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

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(Cluster.empty(), false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                @Override
                public synchronized void flush() {
                    // would acknowledge everything
                }
            };

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
            List<EventEnvelope> events = Collections.nCopies(50, "{}").stream()
                    .map(payload -> EventEnvelope.builder("t")
                            .aggregateId("order-7")
                            .payloadJson(payload)
                            .build())
                    .toList();
            try (KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                    .producerConfig(Map.of("bootstrap.servers", server.bootstrapServers()))
                    .topic(topic)
                    .build()) {
                assertThat(words(publisher.onEvents(events))).containsOnly("done");
            }
            assertThat(topics.eventIds(topic))
                    .isEqualTo(events.stream().map(EventEnvelope::eventId).toList());
        }
    }

    private KafkaEventPublisher publisher() {
        return KafkaEventPublisher.builder().producer(producer).topic("fresh").build();
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
