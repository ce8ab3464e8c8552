package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import io.outbox.EventEnvelope;
import io.outbox.inbox.InvalidEventIdException;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.testservers.RabbitServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Idempotent consumers know what RabbitMQ's client gives to consumers. */
class RabbitHeaderReadersTest {

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
        Broker broker = new Broker(RabbitServer.shared());
        String queue = broker.createExchangeWithQueue();
        EventEnvelope first = EventEnvelope.ofJson("OrderPlaced", "1");
        EventEnvelope second = EventEnvelope.ofJson("OrderPlaced", "2");
        try (RabbitEventPublisher publisher = RabbitEventPublisher.builder()
                .connectionFactory(broker.factory())
                .exchange(queue)
                .build()) {
            publisher.onEvents(List.of(first));
            publisher.onEvents(List.of(first, second));
        }

        List<GetResponse> messages = broker.read(queue);
        for (GetResponse message : messages) {
            Delivery delivery = new Delivery(message.getEnvelope(), message.getProps(), message.getBody());
            consumer.consume(delivery, () -> consumed.add(new String(message.getBody(), StandardCharsets.UTF_8)));
            consumer.consume(message.getProps(), () -> consumed.add("again"));
        }

        assertThat(messages).hasSize(3);
        assertThat(consumed).containsExactly("1", "2");
    }

    @Test
    void theSameIdMayComeAsUuidAsTextOrAsBytes() {
        UUID id = UUID.randomUUID();
        for (Object value : List.of(id, id.toString(), id.toString().getBytes(StandardCharsets.UTF_8))) {
            consumer.consume(properties(Map.of(HEADER, value)), () -> consumed.add(value));
        }

        assertThat(consumed).containsExactly(id);
    }

    @Test
    void aMessageWithoutAUsableIdIsRefusedByTheNameOfTheHeader() {
        for (BasicProperties properties : List.of(
                properties(null),
                properties(Map.of()),
                properties(Collections.singletonMap(HEADER, null)),
                properties(Map.of(HEADER, "")),
                properties(Map.of(HEADER, 42)))) {
            assertThatExceptionOfType(InvalidEventIdException.class)
                    .isThrownBy(() -> consumer.consume(
                            new Delivery(null, properties, new byte[0]), () -> consumed.add(properties)))
                    .withMessageContaining(HEADER);
        }
        assertThat(consumed).isEmpty();
    }

    private static BasicProperties properties(Map<String, Object> headers) {
        return new BasicProperties.Builder().headers(headers).build();
    }
}
