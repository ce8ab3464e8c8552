package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class KafkaEventPublisherTest {

    private static final KafkaServer SERVER = KafkaServer.shared();

    private final Topics topics = new Topics(SERVER);
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAndExpectNoThreads() throws Exception {
        for (AutoCloseable resource : open) {
            resource.close();
        }
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("outbox-kafka") || name.startsWith("kafka-producer")));
    }

    @Test
    void aRecordCarriesKeyPayloadAndAllHeadersAsUtf8Bytes() throws Exception {
        String topic = topics.create();
        Instant occurredAt = Instant.parse("2026-03-04T05:06:07.123456Z");
        EventEnvelope sent = EventEnvelope.builder("order-created")
                .eventId("event-1")
                .occurredAt(occurredAt)
                .aggregateType("Order")
                .aggregateId("zamówienie-7")
                .tenantId("tenant-ß")
                .headers(Map.of(
                        "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "city", "Łódź"))
                .payloadJson("{\"name\":\"żółw 🐢\"}")
                .build();

        DispatchResult result = publisher(topic).onEvent(sent);

        assertThat(result).isEqualTo(DispatchResult.done());
        ConsumerRecord<byte[], byte[]> message = topics.read(topic).get(0);
        assertThat(message.key()).isEqualTo(utf8("zamówienie-7"));
        assertThat(message.value()).isEqualTo(utf8("{\"name\":\"żółw 🐢\"}"));
        Map<String, String> headers = new HashMap<>();
        message.headers()
                .forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "outbox_event_id", "event-1",
                        "outbox_event_type", "order-created",
                        "outbox_aggregate_type", "Order",
                        "outbox_aggregate_id", "zamówienie-7",
                        "outbox_tenant_id", "tenant-ß",
                        "outbox_occurred_at", "2026-03-04T05:06:07.123456Z",
                        "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "city", "Łódź"));
    }

    @Test
    void anEventsOwnHeaderNeverReplacesAnOutboxHeader() throws Exception {
        String topic = topics.create();
        EventEnvelope forged = EventEnvelope.builder("order-created")
                .eventId("true-id")
                .headers(Map.of("outbox_event_id", "forged", "outbox_tenant_id", "forged"))
                .payloadJson("{}")
                .build();

        publisher(topic).onEvent(forged);

        ConsumerRecord<byte[], byte[]> message = topics.read(topic).get(0);
        assertThat(message.headers().headers("outbox_event_id")).hasSize(1);
        assertThat(Topics.header(message, "outbox_event_id")).isEqualTo("true-id");
        assertThat(message.headers().lastHeader("outbox_tenant_id")).isNull();
    }

    @Test
    void anEventWithoutAggregateIdHasNoKey() throws Exception {
        String topic = topics.create();

        publisher(topic).onEvent(event("{}"));

        assertThat(topics.read(topic).get(0).key()).isNull();
    }

    @Test
    void aBinaryPayloadArrivesByteForByte() throws Exception {
        String topic = topics.create();
        byte[] payload = {0, 1, -1, (byte) 0xc3, 0x28, 127, -128};

        publisher(topic)
                .onEvent(EventEnvelope.builder("avro").payloadBytes(payload).build());

        assertThat(topics.read(topic).get(0).value()).isEqualTo(payload);
    }

    @Test
    void aBatchIsSentInOrderWithOneOutcomeEach() {
        String topic = topics.create();
        List<EventEnvelope> batch = events(100);

        List<BatchOutcome> outcomes = publisher(topic).onEvents(batch);

        assertThat(words(outcomes)).hasSize(100).containsOnly("done");
        assertThat(topics.eventIds(topic))
                .isEqualTo(batch.stream().map(EventEnvelope::eventId).toList());
    }

    @Test
    void batchesBegunBeforeOthersAreAcknowledgedKeepTheirOrderAndTheirOutcomes() throws Exception {
        String topic = topics.create(1, Map.of("max.message.bytes", "50000"));
        KafkaEventPublisher publisher = publisher(topic);
        List<EventEnvelope> all = new ArrayList<>();
        List<BatchEventListener.Pending> pending = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            List<EventEnvelope> batch = new ArrayList<>(events(50));
            if (i == 10) {
                batch.set(25, event("\"" + "x".repeat(60_000) + "\""));
            }
            all.addAll(batch);
            pending.add(publisher.begin(batch, List.of(), silence -> {}));
        }
        CountDownLatch answered = new CountDownLatch(20);
        pending.forEach(batch -> batch.whenAnswered(answered::countDown));
        assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();

        List<String> words = new ArrayList<>();
        for (BatchEventListener.Pending batch : pending) {
            words.addAll(words(batch.outcomes()));
        }

        assertThat(words.remove(10 * 50 + 25)).isEqualTo("dead");
        assertThat(words).hasSize(999).containsOnly("done");
        all.remove(10 * 50 + 25);
        assertThat(topics.eventIds(topic))
                .isEqualTo(all.stream().map(EventEnvelope::eventId).toList());
    }

    @Test
    void eventsOfOneAggregateShareAPartition() {
        String topic = topics.create(5, Map.of());
        List<EventEnvelope> batch = Collections.nCopies(50, 0).stream()
                .map(i -> EventEnvelope.builder("t")
                        .aggregateId("order-7")
                        .payloadJson("{}")
                        .build())
                .toList();

        List<BatchOutcome> outcomes = publisher(topic).onEvents(batch);

        assertThat(words(outcomes)).containsOnly("done");
        List<ConsumerRecord<byte[], byte[]>> messages = topics.read(topic);
        assertThat(messages)
                .hasSize(50)
                .extracting(ConsumerRecord::partition)
                .containsOnly(messages.get(0).partition());
    }

    @Test
    void aRecordTooLargeForTheProducerIsDeadAndItsNeighboursAreDone() {
        String topic = topics.create();
        List<EventEnvelope> batch = List.of(event("1"), event("\"" + "x".repeat(5_000) + "\""), event("3"));

        List<BatchOutcome> outcomes =
                publisher(topic, Map.of("max.request.size", 4_000)).onEvents(batch);

        assertThat(words(outcomes)).containsExactly("done", "dead", "done");
        assertThat(reason(outcomes.get(1))).contains("RecordTooLargeException").doesNotContain("xxx");
        assertThat(topics.read(topic)).hasSize(2);
    }

    @Test
    void aRecordTooLargeForTheTopicIsDeadAndItsNeighboursAreDone() {
        String topic = topics.create(1, Map.of("max.message.bytes", "4000"));
        List<EventEnvelope> batch = new ArrayList<>(events(20));
        batch.set(10, event("\"" + "x".repeat(5_000) + "\""));

        List<BatchOutcome> outcomes = publisher(topic).onEvents(batch);

        List<String> expected = new ArrayList<>(Collections.nCopies(20, "done"));
        expected.set(10, "dead");
        assertThat(words(outcomes)).isEqualTo(expected);
        assertThat(reason(outcomes.get(10))).contains("RecordTooLargeException");
        assertThat(topics.read(topic)).hasSize(19);
    }

    @Test
    void anInvalidTopicIsDeadWithTheReason() {
        List<BatchOutcome> outcomes = publisher("no spaces allowed").onEvents(events(2));

        assertThat(words(outcomes)).containsExactly("dead", "dead");
        assertThat(reason(outcomes.get(0))).contains("InvalidTopicException");
    }

    @Test
    void aMissingTopicIsAFailureOfItsOwnEventsThatCostsOneWait() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(
                KafkaEventPublisher.builder()
                        .topic(event -> event.payloadJson().contains("lost") ? "missing" : topic)
                        .emergencyTimeout(Duration.ofSeconds(20)),
                Map.of("max.block.ms", "1000"));
        List<EventEnvelope> batch =
                List.of(event("1"), event("\"lost\""), event("2"), event("\"lost\""), event("\"lost\""), event("3"));

        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        assertThat(words(outcomes))
                .as("it is asked for")
                .containsExactly("done", "deferred", "done", "deferred", "deferred", "done");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(topics.read(topic)).hasSize(3);
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            BatchOutcome later = publisher.onEvents(batch.subList(1, 2)).get(0);
            assertThat(words(List.of(later))).containsExactly("failed");
            assertThat(reason(later)).contains("missing");
        });
    }

    @Test
    void aRoutingFunctionThatKnowsNoTopicFailsOnlyThatEvent() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(
                KafkaEventPublisher.builder().topic(event -> switch (event.payloadJson()) {
                    case "null" -> null;
                    case "throw" -> throw new IllegalArgumentException("no idea");
                    default -> topic;
                }),
                Map.of());

        List<BatchOutcome> outcomes =
                publisher.onEvents(List.of(event("1"), event("null"), event("throw"), event("2")));

        assertThat(words(outcomes)).containsExactly("done", "failed", "failed", "done");
        assertThat(reason(outcomes.get(1))).contains("order-created");
        assertThat(reason(outcomes.get(2))).isEqualTo("no idea");
    }

    @Test
    void theSerializersOfTheConfigurationAreNotUsed() throws Exception {
        String topic = topics.create();

        DispatchResult result = publisher(
                        topic,
                        Map.of("key.serializer", StringSerializer.class, "value.serializer", "com.example.Absent"))
                .onEvent(event("{}"));

        assertThat(result).isEqualTo(DispatchResult.done());
    }

    @Test
    void aClosedPublisherReportsTheRouteAsUnavailable() {
        KafkaEventPublisher publisher = publisher(topics.create());
        publisher.onEvents(events(1));
        publisher.close();

        assertThat(words(publisher.onEvents(events(2)))).containsExactly("unavailable", "unavailable");
    }

    @Test
    void aProducerThatWasGivenStaysOpen() throws Exception {
        String topic = topics.create();
        Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", SERVER.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        open.add(producer);
        KafkaEventPublisher publisher =
                KafkaEventPublisher.builder().producer(producer).topic(topic).build();

        assertThat(words(publisher.onEvents(events(10)))).containsOnly("done");
        publisher.close();

        producer.send(new ProducerRecord<>(topic, new byte[0])).get(20, TimeUnit.SECONDS);
        assertThat(topics.read(topic)).hasSize(11);
    }

    @Test
    void anAcknowledgementIsNotHeldUpByTheProducersLinger() throws Exception {
        KafkaEventPublisher publisher = publisher(topics.create(), Map.of("linger.ms", "20000"));

        long start = System.nanoTime();
        assertThat(words(publisher.onEvents(events(10)))).containsOnly("done");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void settingsAreChecked() {
        KafkaEventPublisher.Builder builder = KafkaEventPublisher.builder();

        assertThatThrownBy(() -> builder.topic(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.batchSize(0)).hasMessage("batchSize must be at least 1: 0");
        assertThatThrownBy(() -> builder.emergencyTimeout(Duration.ZERO)).hasMessageContaining("PT0S");
        assertThatThrownBy(() -> builder.producerConfig(Map.of("transactional.id", "tx")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transactional.id");
        assertThatThrownBy(builder::build).hasMessageContaining("topic is required");
        assertThatThrownBy(() -> builder.topic("t").build()).hasMessageContaining("producerConfig is required");
        assertThat(publisher(KafkaEventPublisher.builder().topic("t").batchSize(7), Map.of())
                        .maxBatchSize())
                .isEqualTo(7);
    }

    private KafkaEventPublisher publisher(String topic) {
        return publisher(topic, Map.of());
    }

    private KafkaEventPublisher publisher(String topic, Map<String, Object> config) {
        return publisher(KafkaEventPublisher.builder().topic(topic), config);
    }

    private KafkaEventPublisher publisher(KafkaEventPublisher.Builder builder, Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.put("bootstrap.servers", SERVER.bootstrapServers());
        KafkaEventPublisher publisher = builder.producerConfig(all).build();
        open.add(publisher);
        return publisher;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
