package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.testservers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the broker refuses is charged to the event at fault alone. */
@Tag("client-lines")
@Timeout(240)
class KafkaRefusalTest {

    private static final KafkaServer SERVER = KafkaServer.shared();
    /** The largest payload that an event may have. */
    private static final int LARGEST = 1024 * 1024;

    private final Topics topics = new Topics(SERVER);
    private KafkaEventPublisher publisher;

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void neighboursOfARefusedRecordAreDoneOnceEach() {
        String topic = topics.create(1, Map.of("cleanup.policy", "compact"));
        List<EventEnvelope> batch = new ArrayList<>(keyed(100));
        batch.set(40, event("1"));
        batch.set(70, event("2"));
        start(topic, Map.of());

        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        List<String> expected = new ArrayList<>(Collections.nCopies(100, "done"));
        expected.set(40, "dead");
        expected.set(70, "dead");
        assertThat(words(outcomes)).isEqualTo(expected);
        assertThat(reason(outcomes.get(40))).contains("ompacted topic");
        batch.remove(70);
        batch.remove(40);
        assertThat(topics.eventIds(topic))
                .as("in the order of requests")
                .containsExactlyInAnyOrderElementsOf(ids(batch));
    }

    @Test
    void aMissingTopicIsNoSilenceOfTheBroker() {
        publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", SERVER.bootstrapServers(), "max.block.ms", 5_000))
                .topic("missing")
                .build();
        List<Exception> silence = new ArrayList<>();

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(words(publisher.onEvents(List.of(event("1")), List.of(), silence::add)))
                        .containsExactly("failed"));
        assertThat(silence).isEmpty();
    }

    /** All defaults: sending would wait for each name for half a minute. */
    @Test
    void fiveMissingTopicsCostTheEventsOfOthersNothing() {
        String topic = topics.create();
        publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", SERVER.bootstrapServers()))
                .topic(event -> event.payloadJson().startsWith("\"missing")
                        ? event.payloadJson().replace("\"", "")
                        : topic)
                .build();
        assertThat(words(publisher.onEvents(List.of(event("0"))))).containsExactly("done");
        List<BatchOutcome> ofMissing = new ArrayList<>();
        List<Duration> waits = new ArrayList<>();
        long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();

        for (int i = 0; System.nanoTime() < end; i++) {
            long start = System.nanoTime();
            List<BatchOutcome> outcomes =
                    publisher.onEvents(List.of(event("\"missing-" + i % 5 + "\""), event("1"), event("2")));
            waits.add(Duration.ofNanos(System.nanoTime() - start));
            assertThat(words(outcomes).subList(1, 3)).containsExactly("done", "done");
            ofMissing.add(outcomes.get(0));
        }

        assertThat(ofMissing.subList(ofMissing.size() - 5, ofMissing.size()))
                .allSatisfy(outcome -> assertThat(reason(outcome)).contains("has no topic missing-"));
        assertThat(waits.stream().filter(wait -> wait.compareTo(Duration.ofMillis(200)) > 0))
                .as("each name is waited for once")
                .hasSizeLessThan(10);
        assertThat(waits).allSatisfy(wait -> assertThat(wait).isLessThan(Duration.ofSeconds(3)));
    }

    @Test
    void aTopicThatIsCreatedLateGetsItsEvents() throws Exception {
        String late = "late-" + UUID.randomUUID();
        publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", SERVER.bootstrapServers()))
                .topic(late)
                .build();
        assertThat(words(publisher.onEvents(List.of(event("1"))))).containsExactly("deferred");
        topics.createNamed(late);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(words(publisher.onEvents(List.of(event("1")))))
                        .containsExactly("done"));
    }

    /** As for event types with one topic: all batches share what one learns. */
    @Test
    void aMissingTopicIsNoSilenceEitherForManyBatches() throws Exception {
        publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", SERVER.bootstrapServers(), "max.block.ms", 4_000))
                .topic("missing")
                .build();
        List<Exception> silence = new CopyOnWriteArrayList<>();

        List<CompletableFuture<Void>> batches = IntStream.range(0, 20)
                .mapToObj(i -> CompletableFuture.runAsync(
                        () -> await().atMost(Duration.ofSeconds(20))
                                .untilAsserted(() -> assertThat(words(publisher.onEvents(
                                                List.of(event("1"), event("2")), List.of(), silence::add)))
                                        .containsExactly("failed", "failed")),
                        command -> new Thread(command).start()))
                .toList();

        for (CompletableFuture<Void> batch : batches) {
            batch.get(60, TimeUnit.SECONDS);
        }
        assertThat(silence).isEmpty();
    }

    @Test
    void aTopicWithALowLimitGetsRequestsThatFit() {
        String topic = topics.create(1, Map.of("max.message.bytes", "50000"));
        List<EventEnvelope> batch = IntStream.range(0, 300)
                .mapToObj(i -> event("\"" + "x".repeat(1_000) + "\""))
                .toList();
        start(topic, Map.of());

        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        assertThat(words(outcomes)).hasSize(300).containsOnly("done");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(topics.eventIds(topic)).containsExactlyInAnyOrderElementsOf(ids(batch));
    }

    @Test
    void anEventAboveTheLimitOfItsTopicStallsNoOther() {
        String topic = topics.create(1, Map.of("max.message.bytes", "50000"));
        List<EventEnvelope> batch = new ArrayList<>(keyed(50));
        batch.set(20, event("\"" + "x".repeat(60_000) + "\""));
        start(topic, Map.of());

        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        List<String> expected = new ArrayList<>(Collections.nCopies(50, "done"));
        expected.set(20, "dead");
        assertThat(words(outcomes)).isEqualTo(expected);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        batch.remove(20);
        assertThat(topics.eventIds(topic)).containsExactlyInAnyOrderElementsOf(ids(batch));
    }

    /** The limit is below Kafka's batch.size, and older clients split requests into those of that size for ever. */
    @Test
    void aTopicWithALimitBelowTheSizeOfRequestsGetsSmallOnes() {
        String topic = topics.create(1, Map.of("max.message.bytes", "10000"));
        List<EventEnvelope> batch = new ArrayList<>(IntStream.range(0, 300)
                .mapToObj(i -> event("\"" + "x".repeat(2_500) + "\""))
                .toList());
        batch.set(150, event("\"" + "x".repeat(20_000) + "\""));
        start(topic, Map.of());

        List<String> words = new ArrayList<>(words(publisher.onEvents(batch)));

        assertThat(words.remove(150)).isEqualTo("dead");
        assertThat(words).hasSize(299).containsOnly("done");
        batch.remove(150);
        assertThat(topics.eventIds(topic)).containsExactlyInAnyOrderElementsOf(ids(batch));
    }

    @Test
    void theLargestEventsPassWhereTheBrokerTakesThem() {
        String generous = topics.create(1, Map.of("max.message.bytes", "2000000"));
        start(generous, Map.of());

        assertThat(words(publisher.onEvents(List.of(largest(), event("1"))))).containsExactly("done", "done");
    }

    @Test
    void compressionTakesTheLargestEventsThroughAnOrdinaryTopic() {
        start(topics.create(), Map.of("compression.type", "gzip"));

        assertThat(words(publisher.onEvents(List.of(largest(), event("1"))))).containsExactly("done", "done");
    }

    @Test
    void whatIsTooLargeForAnOrdinaryTopicIsDeadAtOnceInTheBrokersWords() {
        start(topics.create(), Map.of());
        EventEnvelope fits = event("\"" + "x".repeat(1_048_000) + "\"");

        List<BatchOutcome> outcomes = publisher.onEvents(List.of(fits, largest(), event("1")));

        assertThat(words(outcomes)).containsExactly("done", "dead", "done");
        assertThat(reason(outcomes.get(1))).contains("RecordTooLargeException").contains("the server will accept");
    }

    private static EventEnvelope largest() {
        return event("\"" + "x".repeat(LARGEST - 2) + "\"");
    }

    private static List<EventEnvelope> keyed(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.builder("order-created")
                        .aggregateType("Order")
                        .aggregateId("order-" + i)
                        .payloadJson("{\"n\":" + i + "}")
                        .build())
                .toList();
    }

    private static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    private void start(String topic, Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.put("bootstrap.servers", SERVER.bootstrapServers());
        publisher = KafkaEventPublisher.builder()
                .producerConfig(all)
                .topic(topic)
                .batchSize(300)
                .build();
    }
}
