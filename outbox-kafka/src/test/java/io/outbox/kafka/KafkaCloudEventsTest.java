package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.SpecVersion;
import io.cloudevents.kafka.KafkaMessageFactory;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.testservers.KafkaServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records as CloudEvents, read by the SDK of CloudEvents; and what the outbox's own headers are called. */
@Timeout(60)
class KafkaCloudEventsTest {

    private static final KafkaServer SERVER = KafkaServer.shared();

    private final Topics topics = new Topics(SERVER);

    private ConsumerRecord<byte[], byte[]> sent(EventEnvelope event, Map<OutboxHeaders, String> headerNames) {
        String topic = topics.create();
        try (KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", SERVER.bootstrapServers()))
                .topic(topic)
                .cloudEvents(URI.create("/shop"))
                .headerNames(headerNames)
                .build()) {
            publisher.onEvents(List.of(event));
        }
        return topics.read(topic).get(0);
    }

    private static EventEnvelope.Builder order() {
        return EventEnvelope.builder("order-created")
                .occurredAt(Instant.parse("2026-03-04T05:06:07.123456Z"))
                .aggregateId("Łódź-7");
    }

    @Test
    void aRecordIsACloudEventInBinaryMode() {
        EventEnvelope event = order().payloadJson("{\"n\":1}").build();

        CloudEvent read =
                KafkaMessageFactory.createReader(sent(event, Map.of())).toEvent();

        assertThat(read.getSpecVersion()).isEqualTo(SpecVersion.V1);
        assertThat(read.getId()).isEqualTo(event.eventId());
        assertThat(read.getSource()).isEqualTo(URI.create("/shop"));
        assertThat(read.getType()).isEqualTo("order-created");
        assertThat(read.getTime().toInstant()).isEqualTo(event.occurredAt());
        assertThat(read.getSubject()).isEqualTo("Łódź-7");
        assertThat(read.getDataContentType()).isEqualTo("application/json");
        assertThat(read.getData().toBytes()).isEqualTo("{\"n\":1}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aBinaryPayloadAndATombstoneAreCloudEventsToo() {
        CloudEvent binary = KafkaMessageFactory.createReader(
                        sent(order().payloadBytes(new byte[] {0, -1}).build(), Map.of()))
                .toEvent();
        CloudEvent tombstone = KafkaMessageFactory.createReader(
                        sent(order().tombstone().build(), Map.of()))
                .toEvent();

        assertThat(binary.getDataContentType()).isEqualTo("application/octet-stream");
        assertThat(binary.getData().toBytes()).containsExactly(0, -1);
        assertThat(tombstone.getData()).isNull();
        assertThat(tombstone.getDataContentType()).isNull();
    }

    @Test
    void headersOfTheOutboxHaveOtherNamesOrAreLeftOutAndAreNotForged() {
        EventEnvelope event = order().header("x-id", "forged")
                .header("outbox_event_id", "forged")
                .payloadJson("{}")
                .build();

        ConsumerRecord<byte[], byte[]> message =
                sent(event, Map.of(OutboxHeaders.EVENT_ID, "x-id", OutboxHeaders.OCCURRED_AT, ""));

        assertThat(message.headers().headers("x-id")).hasSize(1);
        assertThat(Topics.header(message, "x-id")).isEqualTo(event.eventId());
        assertThat(message.headers().lastHeader("outbox_event_id")).isNull();
        assertThat(message.headers().lastHeader("outbox_occurred_at")).isNull();
        assertThat(Topics.header(message, "outbox_event_type")).isEqualTo("order-created");
    }
}
