package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.cloudevents.CloudEvent;
import io.cloudevents.SpecVersion;
import io.cloudevents.core.data.BytesCloudEventData;
import io.cloudevents.core.message.impl.BaseGenericBinaryMessageReaderImpl;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.testservers.RabbitServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages as CloudEvents, read by the SDK of CloudEvents; and what the outbox's own headers are called. */
@Timeout(60)
class RabbitCloudEventsTest {

    private final Broker broker = new Broker(RabbitServer.shared());

    private GetResponse sent(EventEnvelope event, Map<OutboxHeaders, String> headerNames) {
        String exchange = broker.createExchangeWithQueue();
        try (RabbitEventPublisher publisher = RabbitEventPublisher.builder()
                .connectionFactory(broker.factory())
                .exchange(exchange)
                .cloudEvents(URI.create("/shop"))
                .headerNames(headerNames)
                .build()) {
            publisher.onEvents(List.of(event));
        }
        return broker.read(exchange).get(0);
    }

    private static Map<String, Object> headers(GetResponse message) {
        Map<String, Object> headers = new HashMap<>();
        message.getProps().getHeaders().forEach((name, value) -> headers.put(name, value.toString()));
        return headers;
    }

    /** The SDK's reader of binary mode, told where the protocol binding of AMQP has the attributes. */
    private static final class AmqpReader extends BaseGenericBinaryMessageReaderImpl<String, Object> {

        private static final String PREFIX = "cloudEvents:";
        private static final String CONTENT_TYPE = "content-type";

        private final Map<String, Object> fields;

        private AmqpReader(GetResponse message) {
            super(
                    SpecVersion.parse((String) headers(message).get(PREFIX + "specversion")),
                    BytesCloudEventData.wrap(message.getBody()));
            fields = headers(message);
            fields.put(CONTENT_TYPE, message.getProps().getContentType());
        }

        @Override
        protected boolean isContentTypeHeader(String key) {
            return key.equals(CONTENT_TYPE);
        }

        @Override
        protected boolean isCloudEventsHeader(String key) {
            return key.startsWith(PREFIX);
        }

        @Override
        protected String toCloudEventsKey(String key) {
            return key.substring(PREFIX.length());
        }

        @Override
        protected void forEachHeader(BiConsumer<String, Object> action) {
            fields.forEach(action);
        }

        @Override
        protected String toCloudEventsValue(Object value) {
            return value.toString();
        }
    }

    @Test
    void aMessageIsACloudEventInBinaryMode() {
        EventEnvelope event = EventEnvelope.builder("order-created")
                .aggregateId("7")
                .payloadJson("{\"n\":1}")
                .build();

        GetResponse message = sent(event, Map.of());

        CloudEvent read = new AmqpReader(message).toEvent();
        assertThat(read.getSpecVersion()).isEqualTo(SpecVersion.V1);
        assertThat(read.getId()).isEqualTo(event.eventId());
        assertThat(read.getSource()).isEqualTo(URI.create("/shop"));
        assertThat(read.getType()).isEqualTo("order-created");
        assertThat(read.getTime().toInstant()).isEqualTo(event.occurredAt());
        assertThat(read.getSubject()).isEqualTo("7");
        assertThat(read.getDataContentType()).isEqualTo("application/json");
        assertThat(read.getData().toBytes()).isEqualTo("{\"n\":1}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void headersOfTheOutboxHaveOtherNamesOrAreLeftOut() {
        EventEnvelope event = EventEnvelope.ofJson("order-created", "{}");

        Map<String, Object> headers =
                headers(sent(event, Map.of(OutboxHeaders.EVENT_ID, "x-id", OutboxHeaders.OCCURRED_AT, "")));

        assertThat(headers)
                .containsEntry("x-id", event.eventId())
                .containsEntry("outbox_event_type", "order-created")
                .doesNotContainKeys("outbox_event_id", "outbox_occurred_at");
    }
}
