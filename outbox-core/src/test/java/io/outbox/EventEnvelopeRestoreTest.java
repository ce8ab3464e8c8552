package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An envelope survives storage unchanged, whatever it holds. */
class EventEnvelopeRestoreTest {

    private static final Instant NOON = Instant.parse("2024-05-01T12:00:00Z");
    private static final String SECRET = "Bearer-4711";

    private static OutboxEvent store(EventEnvelope event) {
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedPayload(),
                event.storedHeaders(),
                0,
                event.occurredAt(),
                event.availableAt() != null ? event.availableAt() : event.occurredAt());
    }

    private static OutboxEvent row(String payload, String headers) {
        return new OutboxEvent("id-1", "A", "__GLOBAL__", null, null, payload, headers, 0, NOON, NOON);
    }

    @Test
    void storesPlainTextAsItIsAndNoHeadersAsNull() {
        EventEnvelope event = EventEnvelope.ofJson("A", "{ \"b\" : 1.0 }");

        assertThat(event.storedPayload()).isEqualTo("{ \"b\" : 1.0 }");
        assertThat(event.storedHeaders()).isNull();
        assertThat(EventEnvelope.restore(store(event))).isEqualTo(event);
    }

    @Test
    void keepsEveryPart() {
        EventEnvelope event = EventEnvelope.builder("A")
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("acme")
                .header("k", "v")
                .payloadJson("{}")
                .availableAt(Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MICROS))
                .build();

        EventEnvelope restored = EventEnvelope.restore(store(event));

        assertThat(restored).isEqualTo(event);
        assertThat(restored.isDelayed()).isTrue();
    }

    @Test
    void keepsTheOriginInAHeaderThatNobodySees() {
        EventEnvelope event =
                EventEnvelope.builder("A").originId("e").payloadJson("{}").build();

        EventEnvelope restored = EventEnvelope.restore(store(event));

        assertThat(restored).isEqualTo(event);
        assertThat(restored.originId()).isEqualTo("e");
        assertThat(restored.headers()).isEmpty();
        assertThat(event.storedHeaders()).isEqualTo("{\"__origin_id\":\"e\"}");
    }

    @Test
    void keepsEveryByteOfABinaryPayload() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        EventEnvelope event =
                EventEnvelope.builder("A").payloadBytes(bytes).header("k", "v").build();

        EventEnvelope restored = EventEnvelope.restore(store(event));

        assertThat(restored).isEqualTo(event);
        assertThat(restored.isBinary()).isTrue();
        assertThat(restored.payloadBytes()).containsExactly(bytes);
        assertThat(restored.headers()).containsExactly(Map.entry("k", "v"));
        assertThat(event.storedPayload()).startsWith("\"").endsWith("\"");
    }

    @Test
    void keepsAnEmptyBinaryPayload() {
        EventEnvelope event =
                EventEnvelope.builder("A").payloadBytes(new byte[0]).build();

        assertThat(EventEnvelope.restore(store(event))).isEqualTo(event);
    }

    @Test
    void hidesNulCharactersFromTheStore() {
        EventEnvelope event = EventEnvelope.ofJson("A", "a\0b\u00e9\ud83d\ude00");

        EventEnvelope restored = EventEnvelope.restore(store(event));

        assertThat(event.storedPayload()).doesNotContain("\0");
        assertThat(restored).isEqualTo(event);
        assertThat(restored.isBinary()).isFalse();
        assertThat(restored.headers()).isEmpty();
    }

    @Test
    void storesTheSameWhenStoredAgain() {
        EventEnvelope event = EventEnvelope.builder("A")
                .payloadBytes(new byte[] {0, -1})
                .header("k", "v")
                .build();

        EventEnvelope restored = EventEnvelope.restore(store(event));

        assertThat(store(restored)).isEqualTo(store(event));
    }

    @Test
    void keepsOddHeaders() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("", "empty name");
        headers.put("null", null);
        headers.put("text null", "null");
        headers.put("empty", "");
        headers.put("quotes\"\\/", "\"\\/");
        headers.put("control\n\r\t\b\f\0\u001f", "\n\r\t\b\f\0\u001f");
        headers.put("\u00e9\u20ac\ud83d\ude00", "\u2028\u2029\u00e9\u20ac\ud83d\ude00");
        headers.put("half a pair", "\ud83d");
        headers.put("json", "{\"a\":[1,2]}");
        headers.put("spaces", "  x  ");
        EventEnvelope event =
                EventEnvelope.builder("A").payloadJson("{}").headers(headers).build();

        EventEnvelope restored = EventEnvelope.restore(store(event));

        assertThat(restored.headers()).isEqualTo(headers);
        assertThat(restored.headers().keySet()).containsExactlyElementsOf(headers.keySet());
        assertThat(event.storedHeaders()).doesNotContain("\0").doesNotContain("\n");
    }

    @Test
    void survivesStorageWhateverItHolds() {
        long seed = Long.getLong("outbox.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 3000; round++) {
            EventEnvelope event = randomEvent(random);

            assertThat(EventEnvelope.restore(store(event)))
                    .as("-Doutbox.test.seed=%d, round %d", seed, round)
                    .isEqualTo(event);
        }
    }

    private static EventEnvelope randomEvent(Random random) {
        EventEnvelope.Builder builder = EventEnvelope.builder("Type" + random.nextInt(10));
        if (random.nextInt(3) == 0) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            builder.payloadBytes(bytes);
        } else {
            builder.payloadJson(randomText(random, false));
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            builder.header(randomText(random, true), random.nextInt(8) == 0 ? null : randomText(random, true));
        }
        if (random.nextBoolean()) {
            builder.occurredAt(NOON).availableAt(NOON.plusMillis(1 + random.nextInt(1000)));
        }
        return builder.build();
    }

    private static String randomText(Random random, boolean anyCharacter) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(20); i > 0; i--) {
            switch (random.nextInt(5)) {
                case 0 -> text.append((char) random.nextInt(32));
                case 1 -> text.append("\"\\/{}[]:,'".charAt(random.nextInt(10)));
                case 2 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
                case 3 -> text.append((char) (anyCharacter ? random.nextInt(0x10000) : random.nextInt(0xD800)));
                default -> text.append((char) (' ' + random.nextInt(95)));
            }
        }
        return text.toString();
    }

    @Test
    void acceptsARowThatWasDueBeforeItWasCreated() {
        OutboxEvent row = new OutboxEvent("id-1", "A", "Order", "1", null, "{}", null, 3, NOON, NOON.minusSeconds(60));

        EventEnvelope restored = EventEnvelope.restore(row);

        assertThat(restored.occurredAt()).isEqualTo(NOON);
        assertThat(restored.availableAt()).isNull();
        assertThat(restored.isDelayed()).isFalse();
    }

    @Test
    void showsTheDueTimeThatWasWrittenAndNotThatOfARetry() {
        Instant retryAt = NOON.plusSeconds(90);
        EventEnvelope atOnce = EventEnvelope.builder("A")
                .eventId("1")
                .occurredAt(NOON)
                .payloadJson("{}")
                .build();
        EventEnvelope delayed = atOnce.toBuilder()
                .eventId("2")
                .availableAt(NOON.plusSeconds(30))
                .build();

        EventEnvelope atOnceRestored = EventEnvelope.restore(retried(atOnce, retryAt));
        EventEnvelope delayedRestored = EventEnvelope.restore(retried(delayed, retryAt));

        assertThat(atOnceRestored.availableAt()).isNull();
        assertThat(atOnceRestored.isDelayed()).isFalse();
        assertThat(delayedRestored.availableAt()).isEqualTo(NOON.plusSeconds(30));
        assertThat(delayedRestored.headers()).isEqualTo(delayed.headers());
    }

    private static OutboxEvent retried(EventEnvelope event, Instant retryAt) {
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedPayload(),
                event.storedHeaders(),
                1,
                event.occurredAt(),
                retryAt);
    }

    @Test
    void acceptsARowThatAWriterWouldRefuse() {
        String large = "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES + 1);
        OutboxEvent row = new OutboxEvent("i".repeat(40), " ", null, null, null, large, null, 0, NOON, null);

        EventEnvelope restored = EventEnvelope.restore(row);

        assertThat(restored.payloadJson()).isEqualTo(large);
        assertThat(restored.aggregateType()).isEqualTo(AggregateType.GLOBAL.name());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "null", " null\n", "{}", " { } "})
    void readsNothingAsNoHeaders(String headers) {
        assertThat(EventEnvelope.restore(row("{}", headers)).headers()).isEmpty();
        assertThat(EventEnvelope.restore(row("{}", null)).headers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "\"Bearer-4711\"",
                "Bearer-4711",
                "{\"a\":\"Bearer-4711\"",
                "{\"a\":\"Bearer-4711\"} x",
                "{\"a\":\"Bearer-4711\",}",
                "{\"a\" \"Bearer-4711\"}",
                "{a:\"Bearer-4711\"}",
                "{\"a\":Bearer-4711}",
                "{\"a\":{\"b\":\"Bearer-4711\"}}",
                "{\"a\":[\"Bearer-4711\"]}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\\uzzzz\"}",
                "{\"a\":\"\\",
                "{\"a\":01x}",
                "{\"a\":}",
                "{\"a\":1 2}"
            })
    void refusesMalformedHeadersWithoutQuotingThem(String headers) {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(row("{}", headers)))
                .withMessageContaining("id-1")
                .withMessageContaining("headers")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain(SECRET));
    }

    @Test
    void refusesARowThatLacksARequiredPart() {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(row(null, null)))
                .withMessageContaining("id-1");
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(
                        new OutboxEvent("id-1", null, "A", null, null, "{}", null, 0, NOON, NOON)));
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(
                        new OutboxEvent("id-1", "A", "A", null, null, "{}", null, 0, null, NOON)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"", "AAAA", "\"Bearer-4711!\"", "{}"})
    void refusesAnEncodedPayloadThatIsNotBase64(String payload) {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(row(payload, "{\"__payload_encoding\":\"base64\"}")))
                .withMessageContaining("id-1")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain(SECRET));
    }

    @Test
    void refusesAnEncodingItDoesNotKnow() {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(row("\"\"", "{\"__payload_encoding\":\"zstd\"}")))
                .withMessageContaining("zstd");
    }

    @Test
    void keepsTheVersionInAHeaderThatListenersDoNotSee() {
        EventEnvelope event = EventEnvelope.builder("T")
                .header("region", "eu")
                .payloadJson("{}")
                .version(7)
                .build();

        assertThat(event.storedHeaders()).isEqualTo("{\"region\":\"eu\",\"__version\":\"7\"}");
        EventEnvelope restored = EventEnvelope.restore(store(event));
        assertThat(restored).isEqualTo(event);
        assertThat(restored.version()).isEqualTo(7);
        assertThat(restored.headers()).containsOnlyKeys("region");
    }

    @Test
    void theFirstVersionIsNotStored() {
        EventEnvelope event =
                EventEnvelope.builder("T").payloadJson("{}").version(1).build();

        assertThat(event.storedHeaders()).isNull();
        assertThat(EventEnvelope.restore(store(event)))
                .isEqualTo(event)
                .isEqualTo(event.toBuilder().build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "two", ""})
    void aVersionThatIsNoneMakesTheRowUnreadable(String version) {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> EventEnvelope.restore(row("{}", "{\"__version\":\"" + version + "\"}")))
                .withMessageContaining("__version");
    }
}
