package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where events go, and what their records have, by functions, routers and customizers. */
@Tag("client-lines")
@Timeout(240)
class KafkaRoutingTest {

    private static final KafkaServer SERVER = KafkaServer.shared();

    private final Topics topics = new Topics(SERVER);

    private static KafkaEventPublisher.Builder publisher() {
        return KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", SERVER.bootstrapServers(), "linger.ms", 0));
    }

    private static List<BatchOutcome> send(KafkaEventPublisher.Builder publisher, EventEnvelope... events) {
        try (KafkaEventPublisher built = publisher.build()) {
            return built.onEvents(List.of(events));
        }
    }

    private static EventEnvelope order(String id, String region) {
        return EventEnvelope.builder("order-created")
                .aggregateType("Order")
                .aggregateId(id)
                .header("region", region)
                .payloadJson("{}")
                .build();
    }

    private static Function<EventEnvelope, String> region() {
        return event -> event.headers().get("region");
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void everyPartOfARecordCanBeComputed() {
        String topic = topics.create(3, Map.of());
        Instant time = Instant.parse("2026-03-04T05:06:07.123Z");

        List<BatchOutcome> outcomes = send(
                publisher()
                        .topic(topic)
                        .key(region())
                        .partition(event -> 2)
                        .timestamp(event -> time)
                        .headers(event -> Map.of("region", "EU", "extra", "x")),
                order("o-1", "eu"));

        assertThat(words(outcomes)).containsExactly("done");
        ConsumerRecord<byte[], byte[]> message = topics.read(topic).get(0);
        assertThat(text(message.key())).isEqualTo("eu");
        assertThat(message.partition()).isEqualTo(2);
        assertThat(message.timestamp()).isEqualTo(time.toEpochMilli());
        assertThat(message.headers().headers("region")).hasSize(1);
        assertThat(Topics.header(message, "region")).isEqualTo("EU");
        assertThat(Topics.header(message, "extra")).isEqualTo("x");
        assertThat(Topics.header(message, "outbox_aggregate_id")).isEqualTo("o-1");
    }

    @Test
    void aRouterDecidesAndLeavesTheRestToTheFunctions() {
        String one = topics.create();
        String other = topics.create();

        List<BatchOutcome> outcomes = send(
                publisher()
                        .topic(one)
                        .key(region())
                        .router(event -> event.headers().get("region").equals("us") ? OutboxRoute.to(other) : null),
                order("o-1", "eu"),
                order("o-2", "us"));

        assertThat(words(outcomes)).containsExactly("done", "done");
        assertThat(topics.read(one)).extracting(message -> text(message.key())).containsExactly("eu");
        assertThat(topics.read(other))
                .extracting(message -> text(message.key()))
                .containsExactly("us");
    }

    @Test
    void theKeyIsTheEventsOwnThenTheAggregateIdAndAnEmptyOneIsNone() {
        String topic = topics.create();
        EventEnvelope keyed = order("o-1", "eu").toBuilder().key("customer-1").build();

        send(publisher().topic(topic), keyed, order("o-2", "eu"));
        send(publisher().topic(topic).key(event -> ""), keyed);

        assertThat(topics.read(topic))
                .extracting(message -> text(message.key()))
                .containsExactly("customer-1", "o-2", null);
    }

    @Test
    void aTombstoneHasNoValue() {
        String topic = topics.create(1, Map.of("cleanup.policy", "compact"));

        List<BatchOutcome> outcomes = send(
                publisher().topic(topic),
                EventEnvelope.builder("order-created")
                        .aggregateId("o-1")
                        .tombstone()
                        .build());

        assertThat(words(outcomes)).containsExactly("done");
        ConsumerRecord<byte[], byte[]> message = topics.read(topic).get(0);
        assertThat(text(message.key())).isEqualTo("o-1");
        assertThat(message.value()).isNull();
    }

    /** The producer would wait for it, and everything behind it would be taken for the victim of an outage. */
    @Test
    void aPartitionThatTheTopicDoesNotHaveFailsItsEventAlone() {
        String topic = topics.create(2, Map.of());

        List<BatchOutcome> outcomes = send(
                publisher().topic(topic).partition(event -> Integer.valueOf(event.aggregateId())),
                order("2", "eu"),
                order("1", "eu"));

        assertThat(words(outcomes)).containsExactly("failed", "done");
        assertThat(reason(outcomes.get(0))).contains(topic, "no partition 2", "2 partitions");
        assertThat(topics.read(topic)).hasSize(1);
    }

    @Test
    void customizersHaveTheLastWordInTheirOrder() {
        String topic = topics.create();

        List<BatchOutcome> outcomes = send(
                publisher()
                        .topic("elsewhere")
                        .customizer((outgoing, event) -> {
                            outgoing.headers().add("first", outgoing.topic().getBytes(StandardCharsets.UTF_8));
                            return outgoing;
                        })
                        .customizer((outgoing, event) -> new ProducerRecord<>(
                                topic, null, outgoing.key(), outgoing.value(), outgoing.headers())),
                order("o-1", "eu"));

        assertThat(words(outcomes)).containsExactly("done");
        assertThat(Topics.header(topics.read(topic).get(0), "first")).isEqualTo("elsewhere");
    }

    @Test
    void anEventThatACustomizerOrAFunctionFailsForFailsAlone() {
        String topic = topics.create();
        EventEnvelope good = order("o-1", "eu");
        EventEnvelope bad = order("o-2", "eu");

        List<BatchOutcome> outcomes = send(
                publisher().topic(topic).customizer((outgoing, event) -> event.equals(bad) ? null : outgoing),
                bad,
                good);
        List<BatchOutcome> others = send(publisher().topic(topic).headers(event -> null), event("{}"));

        assertThat(words(outcomes)).containsExactly("failed", "done");
        assertThat(reason(outcomes.get(0))).contains("returned no record");
        assertThat(words(others)).containsExactly("failed");
    }

    @Test
    void needsATopicOrARouter() {
        assertThatNullPointerException()
                .isThrownBy(() -> publisher().key(region()).build())
                .withMessageContaining("topic");
    }
}
