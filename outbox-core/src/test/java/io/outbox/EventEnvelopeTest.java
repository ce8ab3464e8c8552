package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.entry;

import io.outbox.spi.JsonCodec;
import io.outbox.support.NamedCodec;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventEnvelopeTest {

    private static final Instant NOON = Instant.parse("2024-05-01T12:00:00.123456Z");
    private static final int MEGABYTE = 1024 * 1024;

    enum Orders implements EventType {
        PLACED
    }

    enum Things implements AggregateType {
        ORDER
    }

    @AfterEach
    void returnToDiscovery() {
        JsonCodec.setDefault(null);
    }

    private static EventEnvelope.Builder builder() {
        return EventEnvelope.builder("OrderPlaced").payloadJson("{}");
    }

    @Test
    void aNewIdIsOfTheKindOfAnother() {
        String uuid = "0190163D-8694-739B-AEA5-966C26F8AD91";
        String ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

        assertThat(builder().newEventIdLike(uuid).build().eventId())
                .matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");
        assertThat(builder().newEventIdLike(ulid).build().eventId())
                .matches("[0-9A-Z]{26}")
                .isNotEqualTo(ulid);
        assertThat(builder().newEventIdLike("order-1").build().eventId()).matches("[0-9A-Z]{26}");
    }

    @Test
    void hasDefaultsForAllButTypeAndPayload() {
        Instant before = Instant.now().truncatedTo(ChronoUnit.MICROS);

        EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{\"a\":1}");

        assertThat(event.eventId()).hasSize(26);
        assertThat(event.eventType()).isEqualTo("OrderPlaced");
        assertThat(event.payloadJson()).isEqualTo("{\"a\":1}");
        assertThat(event.isBinary()).isFalse();
        assertThat(event.occurredAt()).isBetween(before, Instant.now());
        assertThat(event.aggregateType()).isEqualTo("__GLOBAL__").isEqualTo(AggregateType.GLOBAL.name());
        assertThat(event.aggregateId()).isNull();
        assertThat(event.tenantId()).isNull();
        assertThat(event.headers()).isEmpty();
        assertThat(event.availableAt()).isNull();
        assertThat(event.isDelayed()).isFalse();
    }

    @Test
    void keepsEverythingItIsGiven() {
        EventEnvelope event = EventEnvelope.builder(Orders.PLACED)
                .eventId("id-1")
                .occurredAt(NOON)
                .aggregateType(Things.ORDER)
                .aggregateId("42")
                .tenantId("acme")
                .header("trace", "t1")
                .payloadJson("[]")
                .availableAt(NOON.plusSeconds(1))
                .build();

        assertThat(event.eventId()).isEqualTo("id-1");
        assertThat(event.eventType()).isEqualTo("PLACED");
        assertThat(event.occurredAt()).isEqualTo(NOON);
        assertThat(event.aggregateType()).isEqualTo("ORDER");
        assertThat(event.aggregateId()).isEqualTo("42");
        assertThat(event.tenantId()).isEqualTo("acme");
        assertThat(event.headers()).containsExactly(Map.entry("trace", "t1"));
        assertThat(event.payloadJson()).isEqualTo("[]");
        assertThat(event.availableAt()).isEqualTo(NOON.plusSeconds(1));
    }

    @Test
    void hasShorthandsForBothKindsOfType() {
        assertThat(EventEnvelope.ofJson(Orders.PLACED, "1").eventType()).isEqualTo("PLACED");
        assertThat(EventEnvelope.ofJson(StringEventType.of("Dynamic"), "1").eventType())
                .isEqualTo("Dynamic");
    }

    @Test
    void requiresAnEventType() {
        assertThatNullPointerException()
                .isThrownBy(() -> EventEnvelope.builder((String) null))
                .withMessageContaining("eventType");
        assertThatNullPointerException()
                .isThrownBy(() -> EventEnvelope.builder((EventType) null))
                .withMessageContaining("eventType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder(" ").payloadJson("{}").build())
                .withMessageContaining("eventType");
    }

    @Test
    void requiresAPayload() {
        assertThatNullPointerException()
                .isThrownBy(() -> EventEnvelope.builder("A").build())
                .withMessageContaining("payloadJson");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().payloadJson(null))
                .withMessageContaining("payloadJson");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().payloadBytes(null))
                .withMessageContaining("payloadBytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().payloadBytes(new byte[1]).build())
                .withMessageContaining("payloadJson")
                .withMessageContaining("payloadBytes");
    }

    @Test
    void acceptsAnEmptyPayload() {
        assertThat(EventEnvelope.ofJson("A", "").payloadJson()).isEmpty();
        assertThat(EventEnvelope.builder("A").payloadBytes(new byte[0]).build().payloadBytes())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"a, 1", "\u00e9, 2", "\u20ac, 3", "\ud83d\ude00, 4"})
    void measuresThePayloadInUtf8Bytes(String character, int bytes) {
        String full = character.repeat(MEGABYTE / bytes) + "a".repeat(MEGABYTE % bytes);
        assertThat(full.getBytes(StandardCharsets.UTF_8)).hasSize(EventEnvelope.MAX_PAYLOAD_BYTES);

        assertThatNoException().isThrownBy(() -> EventEnvelope.ofJson("A", full));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.ofJson("A", full + "a"))
                .withMessageContaining("1048576")
                .withMessageContaining("1048577");
    }

    @Test
    void limitsABinaryPayloadToAMegabyte() {
        assertThatNoException()
                .isThrownBy(() -> EventEnvelope.builder("A")
                        .payloadBytes(new byte[MEGABYTE])
                        .build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("A").payloadBytes(new byte[MEGABYTE + 1]))
                .withMessageContaining("1048577");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\ud83d", "\ude00", "\ud83da", "\ud83d\ud83d\ude00"})
    void refusesTextThatUtf8CannotExpress(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().payloadJson(text))
                .withMessageContaining("surrogate")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain(text));
    }

    @Test
    void copiesABinaryPayloadOnTheWayInAndOut() {
        byte[] given = {1, 2, 3};
        EventEnvelope event = EventEnvelope.builder("A").payloadBytes(given).build();

        given[0] = 9;
        event.payloadBytes()[1] = 9;

        assertThat(event.payloadBytes()).containsExactly(1, 2, 3);
        assertThat(event.isBinary()).isTrue();
        assertThat(event.payloadJson()).isNull();
    }

    @Test
    void givesATextPayloadAsUtf8Bytes() {
        assertThat(EventEnvelope.ofJson("A", "\"\u00e9\"").payloadBytes())
                .containsExactly("\"\u00e9\"".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void copiesHeadersAndGivesThemUnmodifiable() {
        Map<String, String> given = new HashMap<>(Map.of("a", "1"));
        EventEnvelope.Builder builder = builder().headers(given);
        EventEnvelope event = builder.build();

        given.put("b", "2");
        builder.header("c", "3");

        assertThat(event.headers()).containsExactly(Map.entry("a", "1"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> event.headers().put("d", "4"));
    }

    @Test
    void keepsTheOrderOfHeaders() {
        EventEnvelope event =
                builder().header("z", "1").header("a", "2").header("m", null).build();

        assertThat(event.headers().keySet()).containsExactly("z", "a", "m");
    }

    @Test
    void tellsTheLengthOfAnEventWithAnEmptyHeader() {
        EventEnvelope event = builder().header("a", null).header("b", "12").build();

        assertThat(event.contentLength()).isEqualTo(6);
    }

    @Test
    void replacesAllHeadersByAMap() {
        assertThat(builder().header("a", "1").headers(Map.of("b", "2")).build().headers())
                .containsExactly(Map.entry("b", "2"));
    }

    @Test
    void refusesBadHeaders() {
        Map<String, String> nullKey = new LinkedHashMap<>();
        nullKey.put(null, "value");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().headers(nullKey))
                .withMessageContaining("null key");
        assertThatIllegalArgumentException().isThrownBy(() -> builder().header(null, "value"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().header("__payload_encoding", "base64"))
                .withMessageContaining("reserved");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().header("__origin_id", "1"))
                .withMessageContaining("reserved");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().headers(null))
                .withMessageContaining("headers");
    }

    @Test
    void refusesBothWaysOfDelay() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .availableAt(Instant.now().plusSeconds(60))
                        .deliverAfter(Duration.ofSeconds(1))
                        .build())
                .withMessageContaining("availableAt")
                .withMessageContaining("deliverAfter");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -1_000_000_000})
    void refusesADelayThatIsNotPositive(long nanos) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().deliverAfter(Duration.ofNanos(nanos)))
                .withMessageContaining("deliverAfter")
                .withMessageContaining(Duration.ofNanos(nanos).toString());
    }

    @Test
    void refusesNullDelaysAtTheSetter() {
        assertThatNullPointerException()
                .isThrownBy(() -> builder().availableAt(null))
                .withMessageContaining("availableAt");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().deliverAfter(null))
                .withMessageContaining("deliverAfter");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().occurredAt(null))
                .withMessageContaining("occurredAt");
    }

    @Test
    void refusesToBeAvailableBeforeItOccurred() {
        EventEnvelope.Builder builder = builder().occurredAt(NOON).availableAt(NOON.minusNanos(1000));

        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessageContaining("availableAt")
                .withMessageContaining("occurredAt");
    }

    @Test
    void isNotDelayedIfAvailableWhenItOccurred() {
        EventEnvelope event = builder().occurredAt(NOON).availableAt(NOON).build();

        assertThat(event.availableAt()).isEqualTo(NOON);
        assertThat(event.isDelayed()).isFalse();
    }

    @Test
    void isDelayedUntilAvailable() {
        assertThat(builder()
                        .occurredAt(NOON)
                        .availableAt(NOON.plusNanos(1000))
                        .build()
                        .isDelayed())
                .isTrue();
    }

    @Test
    void countsARelativeDelayFromItsOccurrence() {
        EventEnvelope event =
                builder().deliverAfter(Duration.ofMinutes(30)).occurredAt(NOON).build();

        assertThat(event.availableAt()).isEqualTo(NOON.plus(Duration.ofMinutes(30)));
        assertThat(event.isDelayed()).isTrue();
    }

    @Test
    void refusesTextThatDoesNotFitItsColumn() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.ofJson("x".repeat(129), "{}"))
                .withMessageContaining("eventType")
                .withMessageContaining("129");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().eventId("x".repeat(37)))
                .withMessageContaining("eventId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().aggregateType("x".repeat(65)))
                .withMessageContaining("aggregateType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().aggregateId("x".repeat(129)))
                .withMessageContaining("aggregateId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().tenantId("x".repeat(65)))
                .withMessageContaining("tenantId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().aggregateId("a\0b"))
                .withMessageContaining("aggregateId")
                .withMessageContaining("NUL");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().eventId("a\ud800"))
                .withMessageContaining("eventId")
                .withMessageContaining("surrogate");
        assertThatNoException().isThrownBy(() -> builder().eventId("a\ud83d\ude00"));
    }

    @Test
    void acceptsTextThatJustFitsItsColumn() {
        assertThatNoException()
                .isThrownBy(() -> EventEnvelope.builder("x".repeat(128))
                        .eventId("x".repeat(36))
                        .aggregateType("x".repeat(64))
                        .aggregateId("x".repeat(128))
                        .tenantId("x".repeat(64))
                        .payloadJson("{}")
                        .build());
    }

    @Test
    void refusesBlankOrNullNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().eventId(" "))
                .withMessageContaining("eventId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().aggregateType(""))
                .withMessageContaining("aggregateType");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().eventId(null))
                .withMessageContaining("eventId");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().aggregateType((String) null))
                .withMessageContaining("aggregateType");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().aggregateType((AggregateType) null))
                .withMessageContaining("aggregateType");
    }

    @Test
    void readsItsPayloadByTheDefaultCodec() {
        JsonCodec.setDefault(new JsonCodec() {
            @Override
            public String toJson(Object obj) {
                throw new UnsupportedOperationException();
            }

            @Override
            public <T> T fromJson(String json, Class<T> type) {
                return type.cast("read: " + json);
            }
        });

        assertThat(EventEnvelope.ofJson("A", "1").payload(String.class)).isEqualTo("read: 1");
    }

    @Test
    void readsItsPayloadByTheCodecItIsBoundTo() {
        JsonCodec.setDefault(new NamedCodec("default"));

        EventEnvelope bound = EventEnvelope.ofJson("A", "1").readBy(new NamedCodec("given"));

        assertThat(bound.payload(String.class)).isEqualTo("given read 1");
        assertThat(bound.toBuilder().payloadJson("2").build().payload(String.class))
                .isEqualTo("given read 2");
        assertThat(bound.readBy(new NamedCodec("other")).payload(String.class)).isEqualTo("other read 1");
    }

    @Test
    void readsItsPayloadAsATypeWithParameters() throws Exception {
        Type strings = Map.class.getMethod("keySet").getGenericReturnType();
        EventEnvelope event = EventEnvelope.ofJson("A", "1").readBy(new NamedCodec("given"));

        String read = event.payload(strings);

        assertThat(read).isEqualTo("given read 1 as java.util.Set<K>");
    }

    @Test
    void isTheSameEventWhateverItsCodec() {
        EventEnvelope event = EventEnvelope.builder("A")
                .header("a", "1")
                .payloadJson("{}")
                .deliverAfter(Duration.ofMinutes(1))
                .build();

        EventEnvelope bound = event.readBy(new NamedCodec("given"));

        assertThat(bound).isEqualTo(event).hasSameHashCodeAs(event).hasToString(event.toString());
        assertThat(bound.storedHeaders()).isEqualTo(event.storedHeaders());
        assertThat(bound.storedPayload()).isEqualTo(event.storedPayload());
        assertThatNullPointerException().isThrownBy(() -> event.readBy(null)).withMessageContaining("codec");
    }

    @Test
    void doesNotReadABinaryPayloadAsJson() {
        EventEnvelope event =
                EventEnvelope.builder("A").payloadBytes(new byte[1]).build();

        assertThatIllegalStateException()
                .isThrownBy(() -> event.payload(String.class))
                .withMessageContaining("payloadBytes");
        assertThatNullPointerException().isThrownBy(() -> event.payload(null)).withMessageContaining("type");
    }

    @Test
    void aBuilderOfAnEventBuildsTheSameEventAgain() {
        EventEnvelope full = EventEnvelope.builder("A")
                .eventId("1")
                .occurredAt(NOON)
                .aggregateType("Order")
                .aggregateId("4711")
                .tenantId("acme")
                .header("b", "2")
                .header("a", null)
                .payloadJson("{}")
                .deliverAfter(Duration.ofMinutes(1))
                .build();
        EventEnvelope binary =
                EventEnvelope.builder("A").payloadBytes(new byte[] {1, 2, 3}).build();

        assertThat(full.toBuilder().build()).isEqualTo(full);
        assertThat(full.toBuilder().build().headers().keySet()).containsExactly("b", "a");
        assertThat(binary.toBuilder().build()).isEqualTo(binary);
        assertThat(binary.toBuilder().build().payloadBytes()).containsExactly(1, 2, 3);
    }

    @Test
    void aBuilderOfAnEventChangesACopy() {
        EventEnvelope event = builder().header("a", "1").build();

        EventEnvelope changed = event.toBuilder()
                .header("a", "2")
                .header("b", "3")
                .payloadJson("{\"n\":2}")
                .tenantId("acme")
                .build();

        assertThat(changed.eventId()).isEqualTo(event.eventId());
        assertThat(changed.occurredAt()).isEqualTo(event.occurredAt());
        assertThat(changed.headers()).containsOnly(entry("a", "2"), entry("b", "3"));
        assertThat(changed.payloadJson()).isEqualTo("{\"n\":2}");
        assertThat(changed.tenantId()).isEqualTo("acme");
        assertThat(event.headers()).containsOnly(entry("a", "1"));
        assertThat(event.tenantId()).isNull();
    }

    @Test
    void aNewPayloadReplacesTheCopiedOneOfEitherKind() {
        EventEnvelope text = builder().build();
        EventEnvelope binary = text.toBuilder().payloadBytes(new byte[] {1}).build();

        assertThat(binary.payloadJson()).isNull();
        assertThat(binary.payloadBytes()).containsExactly(1);
        assertThat(binary.toBuilder().payloadJson("{}").build()).isEqualTo(text);
    }

    @Test
    void aNewDueTimeReplacesTheCopiedOneHoweverItIsGiven() {
        EventEnvelope delayed =
                builder().occurredAt(NOON).deliverAfter(Duration.ofMinutes(1)).build();

        assertThat(delayed.toBuilder()
                        .deliverAfter(Duration.ofMinutes(2))
                        .build()
                        .availableAt())
                .isEqualTo(NOON.plusSeconds(120));
        assertThat(delayed.toBuilder()
                        .availableAt(NOON.plusSeconds(180))
                        .build()
                        .availableAt())
                .isEqualTo(NOON.plusSeconds(180));
    }

    @Test
    void isItsOwnOriginUnlessItStandsForAnother() {
        EventEnvelope event = builder().eventId("1").build();
        EventEnvelope share = builder().eventId("2").originId("1").build();

        assertThat(event.originId()).isEqualTo("1");
        assertThat(share.originId()).isEqualTo("1");
        assertThat(share.toBuilder().build()).isEqualTo(share);
        assertThat(share).isNotEqualTo(share.toBuilder().originId("3").build());
        assertThat(share.toBuilder().eventId("4").build().originId())
                .as("of an event with another id")
                .isEqualTo("4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().originId("x".repeat(37)))
                .withMessageContaining("originId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().originId(" "))
                .withMessageContaining("originId");
    }

    @Test
    void mayBeHadUnderAnotherType() {
        EventEnvelope event =
                builder().header("a", "1").deliverAfter(Duration.ofMinutes(1)).build();

        EventEnvelope other = event.withEventType("Other");

        assertThat(other.eventType()).isEqualTo("Other");
        assertThat(other).isNotEqualTo(event);
        assertThat(other.withEventType("OrderPlaced")).isEqualTo(event);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event.withEventType("x".repeat(129)))
                .withMessageContaining("eventType");
        assertThatNullPointerException()
                .isThrownBy(() -> event.withEventType(null))
                .withMessageContaining("eventType");
    }

    @Test
    void isEqualByValue() {
        EventEnvelope one = builder().eventId("1").occurredAt(NOON).build();
        EventEnvelope same = builder().eventId("1").occurredAt(NOON).build();
        EventEnvelope other =
                builder().eventId("1").occurredAt(NOON).tenantId("t").build();

        assertThat(one).isEqualTo(same).hasSameHashCodeAs(same).isNotEqualTo(other);
    }

    @Test
    void keepsTimesToTheNanosecond() {
        Instant precise = Instant.parse("2026-01-02T03:04:05.123456789Z");

        EventEnvelope event = builder()
                .occurredAt(precise)
                .availableAt(precise.plusSeconds(60))
                .build();
        EventEnvelope delayed =
                builder().occurredAt(precise).deliverAfter(Duration.ofNanos(1)).build();

        assertThat(event.occurredAt()).isEqualTo(precise);
        assertThat(event.availableAt()).isEqualTo(precise.plusSeconds(60));
        assertThat(delayed.availableAt()).isEqualTo(precise.plusNanos(1));
        assertThat(delayed.isDelayed()).isTrue();
    }

    @Test
    void showsNeitherPayloadNorHeaders() {
        EventEnvelope event = builder()
                .payloadJson("{\"card\":\"4111\"}")
                .header("auth", "Bearer x")
                .build();

        assertThat(event.toString())
                .contains(event.eventId(), "OrderPlaced")
                .doesNotContain("4111")
                .doesNotContain("Bearer");
    }
}
