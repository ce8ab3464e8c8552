package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What docs/cdc.md says of Debezium's own transform, with our table as it is. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class EventRouterContract {

    private static final Transform TRANSFORM = Transform.EVENT_ROUTER;

    private final LoggedDatabase.Kind kind;
    private Capture capture;

    EventRouterContract(LoggedDatabase.Kind kind) {
        this.kind = kind;
    }

    @BeforeAll
    void startCapture() {
        capture = new Capture(kind, TRANSFORM);
    }

    @AfterAll
    void closeCapture() {
        capture.close();
    }

    @Test
    void idKeyTopicAndTextAreThoseOfTheEvent() {
        String text = "{\"text\":\"Grüße 😀 漢字" + "ü".repeat(250_000) + "\"}";
        EventEnvelope event =
                Capture.order().tenantId("tenant").payloadJson(text).build();

        Wire record = capture.captured(event);

        assertThat(record.topic()).isEqualTo("Order");
        assertThat(record.key()).isEqualTo(event.aggregateId());
        assertThat(Wire.utf8(record.value())).isEqualTo(text);
        assertThat(record.header("id")).isEqualTo(event.eventId());
        assertThat(record.header("outbox_event_type")).isEqualTo("OrderPlaced");
        assertThat(record.header("outbox_tenant_id")).isEqualTo("tenant");
    }

    @Test
    void whatIsRolledBackIsNeverSeen() throws Exception {
        List<String> gone = List.of(
                capture.writeAndRollBack(Capture.order().build()),
                capture.writeAndRollBackToSavepoint(Capture.order().build()));

        assertThat(capture.allCaptured()).extracting(TRANSFORM::eventId).doesNotContainAnyElementsOf(gone);
    }

    @Test
    void eventsOfAKeyComeInTheOrderOfTheirCommits() {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            written.add(capture.write(Capture.order().aggregateId("one").build()));
        }

        assertThat(capture.allCaptured())
                .filteredOn(record -> "one".equals(record.key()))
                .extracting(TRANSFORM::eventId)
                .containsExactlyElementsOf(written);
    }

    @Test
    void updatesAndDeletesAreNoEvents() {
        String id = capture.write(Capture.order().build());
        capture.execute("UPDATE outbox_event SET status = 1, locked_by = 'me' WHERE event_id = '" + id + "'");
        capture.execute("DELETE FROM outbox_event WHERE event_id = '" + id + "'");

        assertThat(capture.allCaptured()).extracting(TRANSFORM::eventId).containsOnlyOnce(id);
    }

    @Test
    void anEventWithoutAggregateTypeGoesToATopicOfThatName() {
        assertThat(capture.captured(EventEnvelope.ofJson("Ping", "{}")).topic()).isEqualTo("__GLOBAL__");
    }

    @Test
    void headersOfTheEventAreOneHeader() {
        Wire record = capture.captured(
                Capture.order().header("a", "1").header("b", "2").build());

        assertThat(record.header("outbox_headers")).isEqualTo("{\"a\":\"1\",\"b\":\"2\"}");
        assertThat(record.header("a")).isNull();
    }

    @Test
    void anotherKeyThanTheAggregateIdIsLost() {
        EventEnvelope event = Capture.order().key("another").build();

        Wire record = capture.captured(event);

        assertThat(record.key()).isEqualTo(event.aggregateId());
        assertThat(record.header("outbox_headers")).isEqualTo("{\"__key\":\"another\"}");
    }

    @Test
    void bytesNulsAndTombstonesComeAsTheyAreStored() {
        EventEnvelope.Builder bytes = EventEnvelope.builder("OrderPlaced").aggregateType("Order");
        Wire binary =
                capture.captured(bytes.payloadBytes(new byte[] {0, 1, 2, -1}).build());
        Wire nul = capture.captured(Capture.order().payloadJson("a\0b").build());
        Wire tombstone = capture.captured(Capture.order().tombstone().build());

        assertThat(binary.value()).isEqualTo("\"AAEC/w==\"");
        assertThat(binary.header("outbox_headers")).contains("__payload_encoding");
        assertThat(nul.value()).isEqualTo("\"YQBi\"");
        assertThat(tombstone.value()).isEqualTo("\"\"");
    }

    @Test
    void aDelayedEventIsSentRightAway() {
        EventEnvelope event = Capture.order().deliverAfter(Duration.ofDays(1)).build();

        assertThat(capture.captured(event).topic()).isEqualTo("Order");
    }

    @Test
    void aSubscriptionIsARecordWithTheStoredType() {
        String type = Subscription.of("mail", "Order", "Subscribed").storedEventType();

        capture.write(EventEnvelope.builder("Subscribed")
                .aggregateType("Order")
                .payloadJson("{}")
                .build());

        assertThat(capture.allCaptured())
                .extracting(record -> record.header("outbox_event_type"))
                .containsOnlyOnce(type);
    }

    /** The default of the column is for this; a writer that names the column and writes NULL is not helped by it. */
    @Test
    void aRowWithoutAggregateTypeStopsTheConnectorForGood() {
        try (Capture alone = new Capture(kind, TRANSFORM)) {
            Wire leftOut = alone.captured(alone.insertForeign("", "NULL"));
            assertThat(leftOut.topic()).isEqualTo("__GLOBAL__");

            alone.insertForeign("NULL", "NULL");
            assertThat(alone.connector.failure()).hasStackTraceContaining("NullPointerException");
        }
    }
}
