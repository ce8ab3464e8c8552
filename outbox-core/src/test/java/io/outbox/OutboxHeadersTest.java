package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutboxHeadersTest {

    private static final Instant OCCURRED_AT = Instant.parse("2024-05-01T12:00:00.123456Z");

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("OrderPlaced")
                .eventId("e-1")
                .occurredAt(OCCURRED_AT)
                .payloadJson("{}");
    }

    @Test
    void carriesEverythingTheEventHas() {
        EventEnvelope event = event().aggregateType("Order")
                .aggregateId("4711")
                .tenantId("acme")
                .header("traceparent", "00-1")
                .build();

        assertThat(OutboxHeaders.of(event))
                .containsExactly(
                        entry("outbox_event_id", "e-1"),
                        entry("outbox_event_type", "OrderPlaced"),
                        entry("outbox_aggregate_type", "Order"),
                        entry("outbox_aggregate_id", "4711"),
                        entry("outbox_tenant_id", "acme"),
                        entry("outbox_occurred_at", "2024-05-01T12:00:00.123456Z"),
                        entry("traceparent", "00-1"));
    }

    @Test
    void timesAreWrittenAsInstantsAre() {
        for (String time : List.of(
                "2024-05-01T12:00:00Z",
                "2024-05-01T12:00:01Z",
                "2024-05-01T12:00:00.120Z",
                "2024-05-01T12:00:00.000001Z",
                "2024-05-01T12:00:59.123456Z",
                "1969-12-31T23:59:59.999Z",
                "+12024-05-01T00:00:07Z",
                "-0044-03-15T00:00:00.500Z",
                "0000-01-01T00:00:00Z")) {
            EventEnvelope event = event().occurredAt(Instant.parse(time)).build();

            assertThat(OutboxHeaders.of(event)).containsEntry("outbox_occurred_at", time);
        }
    }

    @Test
    void leavesOutWhatTheEventDoesNotHave() {
        EventEnvelope event = event().header("empty", null).build();

        assertThat(OutboxHeaders.of(event))
                .containsOnlyKeys("outbox_event_id", "outbox_event_type", "outbox_occurred_at");
    }

    @Test
    void aHeaderOfTheEventNeverStandsInForOneOfTheOutbox() {
        EventEnvelope event = event().header("outbox_event_id", "forged")
                .header("outbox_tenant_id", "forged")
                .header("OUTBOX_EVENT_ID", "another name")
                .build();

        assertThat(OutboxHeaders.of(event))
                .containsEntry("outbox_event_id", "e-1")
                .doesNotContainKey("outbox_tenant_id")
                .containsEntry("OUTBOX_EVENT_ID", "another name");
    }

    @Test
    void everyHeaderOfTheOutboxIsProtected() {
        for (OutboxHeaders header : OutboxHeaders.values()) {
            EventEnvelope event = event().header(header.getValue(), "forged").build();

            assertThat(OutboxHeaders.of(event)).as(header.name()).doesNotContainValue("forged");
        }
    }

    @Test
    void theVersionIsSentUnlessItIsTheFirst() {
        EventEnvelope second =
                EventEnvelope.builder("T").payloadJson("{}").version(2).build();

        assertThat(OutboxHeaders.of(second)).containsEntry("outbox_event_version", "2");
        assertThat(OutboxHeaders.of(EventEnvelope.ofJson("T", "{}"))).doesNotContainKey("outbox_event_version");
    }
}
