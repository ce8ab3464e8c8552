package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of truth: what is read is what was written, to the byte and to the microsecond. */
abstract class FidelityRules extends EngineRules {

    FidelityRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void textPayloadsComeBackAsTheyWere() {
        List<String> payloads = List.of(
                "{}",
                "  { \"b\" : 1.0 , \"a\":1e2,\"a\":2 }\n\t",
                "[1,2.50,\"x\",null,true]",
                "\"\"",
                "{\"text\":\"Grüße, 世界, שלום, 👩‍👩‍👧‍👦 and \\u00e4\"}",
                "{\"escaped\":\"\\u0000 \\\\u0000 \\ud83d\\ude00 \\/ \\\\ ' \\\" ` $1 ? :name %s\"}",
                "{\"raw\":\"\0 and \0\"}",
                "not JSON at all; \r\n 'quoted' \\ back",
                " ");

        assertComesBack(payloads.stream()
                .map(payload -> event().occurredAt(past()).payloadJson(payload).build())
                .toList());
    }

    @Test
    void payloadsOfTheGreatestSizeComeBackAsTheyWere() {
        String ascii = "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES - 2);
        String wide = "é".repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 2 - 1);
        byte[] bytes = new byte[EventEnvelope.MAX_PAYLOAD_BYTES];
        new Random(1).nextBytes(bytes);

        assertComesBack(List.of(
                event().occurredAt(past()).payloadJson('"' + ascii + '"').build(),
                event().occurredAt(past()).payloadJson('"' + wide + '"').build(),
                EventEnvelope.builder(TYPE)
                        .occurredAt(past())
                        .payloadBytes(bytes)
                        .build()));
    }

    @Test
    void binaryPayloadsComeBackAsTheyWere() {
        byte[] everyByte = new byte[256];
        for (int i = 0; i < everyByte.length; i++) {
            everyByte[i] = (byte) i;
        }

        assertComesBack(List.of(
                EventEnvelope.builder(TYPE)
                        .occurredAt(past())
                        .payloadBytes(everyByte)
                        .build(),
                EventEnvelope.builder(TYPE)
                        .occurredAt(past())
                        .payloadBytes(new byte[0])
                        .build()));
    }

    @Test
    void headersComeBackAsTheyWere() {
        Map<String, String> odd = new LinkedHashMap<>();
        odd.put("plain", "value");
        odd.put("quote\"back\\slash", "line\nfeed\r\ttab");
        odd.put("", "empty name");
        odd.put("empty value", "");
        odd.put("null value", null);
        odd.put("ключ", "значение 🎈");
        odd.put("control\u0000\u0001", "\u0000\u001f\u007f\u2028");
        odd.put("json", "{\"nested\":[\"{}\"]}");
        EventEnvelope withHeaders = event().occurredAt(past()).headers(odd).build();
        EventEnvelope withoutHeaders = event().occurredAt(past()).build();
        EventEnvelope binaryWithHeaders = EventEnvelope.builder(TYPE)
                .occurredAt(past())
                .headers(odd)
                .payloadBytes(new byte[] {0})
                .build();

        assertComesBack(List.of(withHeaders, withoutHeaders, binaryWithHeaders));
    }

    @Test
    void keysComeBackAsTheyWereAtAnyLength() {
        EventEnvelope full = EventEnvelope.builder("t".repeat(128))
                .eventId("i".repeat(36))
                .occurredAt(past())
                .aggregateType("a".repeat(64))
                .aggregateId("ü".repeat(128))
                .tenantId("n".repeat(64))
                .payloadJson("{}")
                .build();
        EventEnvelope bare = event().occurredAt(past()).build();
        EventEnvelope spaces = event().occurredAt(past())
                .aggregateId(" padded ")
                .tenantId(engine.keepsEmptyTexts() ? "" : " ")
                .build();

        assertComesBack(List.of(full, bare, spaces));
        assertThat(bare.aggregateId()).isNull();
        assertThat(bare.tenantId()).isNull();
    }

    @Test
    void messageKeysAndTombstonesComeBackAsTheyWere() {
        EventEnvelope keyed = event().occurredAt(past())
                .aggregateId("order-1")
                .key("ключ 🎈")
                .header("plain", "value")
                .build();
        EventEnvelope tombstone = EventEnvelope.builder(TYPE)
                .occurredAt(past())
                .aggregateId("order-1")
                .tombstone()
                .build();

        assertComesBack(List.of(keyed, tombstone));
    }

    @Test
    void timesKeepTheirMicrosecondsInAnyTimeZone() {
        List<Instant> times = List.of(
                Instant.parse("2024-02-29T12:00:00.000001Z"),
                Instant.parse("2024-03-31T00:59:59.999999Z"),
                Instant.parse("2024-03-31T01:30:00.123456Z"), // skipped in Berlin and Chatham local time
                Instant.parse("2024-10-27T00:30:00.654321Z"), // repeated in Berlin
                Instant.parse("2024-10-27T01:30:00.654321Z"),
                Instant.parse("2024-12-31T23:59:59.999999Z"));
        TimeZone original = TimeZone.getDefault();
        try {
            for (String zone : List.of("Europe/Berlin", "Pacific/Chatham", "America/St_Johns", "UTC")) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                List<EventEnvelope> events = new ArrayList<>();
                for (Instant time : times) {
                    events.add(event().occurredAt(time)
                            .availableAt(time.plusNanos(1_000))
                            .build());
                }
                store(events, null);
                TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
                List<OutboxEvent> rows = fetch(100);
                assertThat(rows.stream().map(OutboxEvent::createdAt)).containsExactlyElementsOf(times);
                assertThat(rows.stream().map(OutboxEvent::availableAt))
                        .containsExactlyElementsOf(times.stream()
                                .map(time -> time.plusNanos(1_000))
                                .toList());
                for (OutboxEvent row : rows) {
                    backend.apply(null, List.of(new Outcome.Done(row.eventId(), row.createdAt())));
                    assertThat(stored(row.eventId()).doneAt()).as(zone).isEqualTo(row.createdAt());
                }
            }
        } finally {
            TimeZone.setDefault(original);
        }
    }

    @Test
    void finerTimesThanMicrosecondsAreCut() {
        Instant fine = Instant.parse("2024-05-05T05:05:05.123456789Z");
        Instant cut = Instant.parse("2024-05-05T05:05:05.123456Z");

        String id = store(event().occurredAt(fine).build());

        assertThat(stored(id).createdAt()).isEqualTo(cut);
        assertThat(stored(id).availableAt()).isEqualTo(cut);
        backend.apply(null, List.of(new Outcome.Done(id, fine)));
        assertThat(stored(id).doneAt()).isEqualTo(cut);
    }

    @Test
    void errorTextsAreCutAndFreedOfWhatDatabasesRefuse() {
        String tooLong = "start \0 middle " + "ä".repeat(3980) + "😀".repeat(100);
        List<String> ids = storeDue(2);

        backend.apply(
                null,
                List.of(
                        new Outcome.Failed(ids.get(0), engine.now(), 0, 9, tooLong),
                        new Outcome.Dead(ids.get(1), tooLong)));

        for (String id : ids) {
            String error = stored(id).lastError();
            assertThat(error).hasSizeBetween(3_999, Outcome.MAX_ERROR_LENGTH).doesNotContain("\0");
            assertThat(tooLong.replace("\0", "")).startsWith(error);
        }
    }

    @Test
    void anErrorMayHaveNoText() {
        List<String> ids = storeDue(2);

        Map<String, EventStatus> applied = backend.apply(
                null,
                List.of(new Outcome.Failed(ids.get(0), engine.now(), 0, 9, null), new Outcome.Dead(ids.get(1), null)));

        assertThat(applied)
                .containsOnly(Map.entry(ids.get(0), EventStatus.RETRY), Map.entry(ids.get(1), EventStatus.DEAD));
        assertThat(stored(ids.get(0)).lastError()).isNull();
        assertThat(stored(ids.get(1)).lastError()).isNull();
    }

    private Instant past() {
        return engine.now().minus(Duration.ofMinutes(1));
    }

    /** Checks that the events read back equal by fetch, by claim, and by the look into the store. */
    private void assertComesBack(List<EventEnvelope> events) {
        store(events, null);
        Map<String, EventEnvelope> fetched = byId(fetch(100));
        Map<String, EventEnvelope> claimed = byId(claim("a", 100));
        for (EventEnvelope event : events) {
            assertSame(event, fetched.get(event.eventId()));
            assertSame(event, claimed.get(event.eventId()));
            assertSame(event, stored(event.eventId()).envelope());
        }
    }

    private static void assertSame(EventEnvelope expected, EventEnvelope actual) {
        assertThat(actual).isEqualTo(expected);
        assertThat(actual.payloadBytes()).isEqualTo(expected.payloadBytes());
        assertThat(actual.isBinary()).isEqualTo(expected.isBinary());
        assertThat(new ArrayList<>(actual.headers().entrySet()))
                .containsExactlyInAnyOrderElementsOf(expected.headers().entrySet());
    }

    private static Map<String, EventEnvelope> byId(List<OutboxEvent> rows) {
        Map<String, EventEnvelope> events = new LinkedHashMap<>();
        rows.forEach(row -> events.put(row.eventId(), EventEnvelope.restore(row)));
        return events;
    }
}
