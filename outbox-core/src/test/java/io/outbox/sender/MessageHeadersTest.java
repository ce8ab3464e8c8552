package io.outbox.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.OutboxRoute;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageHeadersTest {

    @Test
    void aHeaderOfTheRouteNeverStandsInForOneOfTheOutboxWhateverItIsCalled() {
        MessageHeaders headers = new MessageHeaders(Map.of(OutboxHeaders.EVENT_ID, "x-id"), null, "");
        EventEnvelope event = EventEnvelope.builder("placed")
                .header("region", "eu")
                .payloadJson("{}")
                .build();
        OutboxRoute route = OutboxRoute.builder()
                .header("x-id", "forged")
                .header("region", "us")
                .build();

        assertThat(headers.of(event, route))
                .containsEntry("x-id", event.eventId())
                .containsEntry("region", "us");
    }
}
