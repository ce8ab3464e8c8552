package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.EventEnvelope;
import io.outbox.inbox.InvalidEventIdException;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Idempotent consumers know Kafka's records. */
class ConsumerRecordHeaderReaderTest {

    private static final String HEADER = "outbox_event_id";

    private final OutboxIdempotentConsumer consumer =
            JdbcInbox.of(newDatabase()).createSchema().consumer().build();
    private final List<Object> consumed = new ArrayList<>();

    private static JdbcDataSource newDatabase() {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return database;
    }

    @Test
    void theEventsOfThePublisherAreConsumedOnce() throws Exception {
        Topics topics = new Topics(KafkaServer.shared());
        String topic = topics.create();
        EventEnvelope first = EventEnvelope.ofJson("OrderPlaced", "1");
        EventEnvelope second = EventEnvelope.ofJson("OrderPlaced", "2");
        try (KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", KafkaServer.shared().bootstrapServers()))
                .topic(topic)
                .build()) {
            publisher.onEvents(List.of(first));
            publisher.onEvents(List.of(first, second, first));
        }

        List<ConsumerRecord<byte[], byte[]>> messages = topics.read(topic);
        messages.forEach(message -> consumer.consume(message, () -> consumed.add(text(message))));
        consumer.consume(messages, fresh -> consumed.addAll(fresh));

        assertThat(messages).hasSize(4);
        assertThat(consumed).containsExactly("1", "2");
    }

    private static String text(ConsumerRecord<byte[], byte[]> message) {
        return new String(message.value(), StandardCharsets.UTF_8);
    }

    @Test
    void theLastOfSeveralHeadersCounts() {
        ConsumerRecord<String, String> message = message("first");
        message.headers().add(HEADER, "last".getBytes(StandardCharsets.UTF_8));

        consumer.consumeById("last", () -> consumed.add("by id"));
        consumer.consume(message, () -> consumed.add("by header"));

        assertThat(consumed).containsExactly("by id");
    }

    @Test
    void aRecordWithoutAUsableIdIsRefusedByTheNameOfTheHeader() {
        ConsumerRecord<String, String> empty = new ConsumerRecord<>("orders", 0, 0, "k", "v");
        empty.headers().add(HEADER, null);
        for (ConsumerRecord<String, String> message : List.of(
                new ConsumerRecord<>("orders", 0, 0, "k", "v"), empty, message(" "), message("x".repeat(129)))) {
            assertThatExceptionOfType(InvalidEventIdException.class)
                    .isThrownBy(() -> consumer.consume(message, () -> consumed.add(message)))
                    .withMessageContaining(HEADER)
                    .satisfies(e -> assertThat(e.header()).isEqualTo(HEADER));
        }
        assertThat(consumed).isEmpty();
    }

    private static ConsumerRecord<String, String> message(String eventId) {
        ConsumerRecord<String, String> message = new ConsumerRecord<>("orders", 0, 0, "k", "v");
        message.headers().add(HEADER, eventId.getBytes(StandardCharsets.UTF_8));
        return message;
    }
}
