package io.outbox.gson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.GsonBuilder;
import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GsonJsonCodecTest {

    private static final String SECRET = "4111-1111-1111-1111";

    private final JsonCodec codec = new GsonJsonCodec();

    record Item(String name, int count, BigDecimal price) {}

    record Order(String id, List<Item> items, Instant placedAt) {}

    enum Colour {
        RED
    }

    @AfterEach
    void returnToDiscovery() {
        JsonCodec.setDefault(null);
    }

    @Test
    void isDiscoveredAsTheDefaultCodec() {
        assertThat(JsonCodec.getDefault()).isInstanceOf(GsonJsonCodec.class).isSameAs(JsonCodec.getDefault());
    }

    @Test
    void readsThePayloadOfAnEnvelope() {
        Order order = new Order("o-1", List.of(new Item("pen", 3, new BigDecimal("1.10"))), Instant.EPOCH);
        EventEnvelope event =
                EventEnvelope.ofJson("OrderPlaced", JsonCodec.getDefault().toJson(order));

        assertThat(event.payload(Order.class)).isEqualTo(order);
    }

    @Test
    void usesTheGsonItIsGiven() {
        JsonCodec upperCamelCase = new GsonJsonCodec(new GsonBuilder()
                .setFieldNamingPolicy(FieldNamingPolicy.UPPER_CAMEL_CASE)
                .create());

        assertThat(upperCamelCase.toJson(new Item("pen", 1, null))).isEqualTo("{\"Name\":\"pen\",\"Count\":1}");
    }

    @Test
    void refusesANullGson() {
        assertThatNullPointerException()
                .isThrownBy(() -> new GsonJsonCodec(null))
                .withMessage("gson");
    }

    @Test
    void refusesNullArguments() {
        assertThatNullPointerException()
                .isThrownBy(() -> codec.fromJson(null, Item.class))
                .withMessage("json");
        assertThatNullPointerException()
                .isThrownBy(() -> codec.fromJson("{}", null))
                .withMessage("type");
    }

    @Test
    void writesTextAsItIs() {
        assertThat(codec.toJson("a<b> & 'c' = \u00e9\ud83d\ude00")).isEqualTo("\"a<b> & 'c' = \u00e9\ud83d\ude00\"");
    }

    @Test
    void readsTheJsonNullAsNull() {
        assertThat(codec.fromJson("null", Item.class)).isNull();
    }

    @Test
    void readsWholeNumbersWithoutATargetTypeExactly() {
        Map<?, ?> read = codec.fromJson("{\"id\":9007199254740993,\"rate\":0.5}", Map.class);

        assertThat(read.get("id")).isEqualTo(9007199254740993L);
        assertThat(read.get("rate")).isEqualTo(0.5);
    }

    static Stream<Object> timeValues() {
        return Stream.of(
                Instant.parse("2024-02-29T23:59:59.123456Z"),
                Instant.EPOCH,
                LocalDate.of(2024, 2, 29),
                LocalDateTime.of(2024, 2, 29, 23, 59, 59, 1000),
                LocalTime.of(7, 30),
                OffsetDateTime.parse("2024-02-29T23:59:59.5+02:00"),
                ZonedDateTime.parse("2024-02-29T23:59:59+01:00[Europe/Paris]"),
                Duration.ofSeconds(90_061, 5),
                Period.of(1, 2, 3));
    }

    @ParameterizedTest
    @MethodSource("timeValues")
    void keepsTimeValuesAsIsoStrings(Object value) {
        String json = codec.toJson(value);

        assertThat(json).isEqualTo("\"" + value + "\"");
        assertThat((Object) codec.fromJson(json, value.getClass())).isEqualTo(value);
    }

    @Test
    void keepsAbsentTimeValuesAbsent() {
        assertThat(codec.toJson(new Order("o-1", null, null))).isEqualTo("{\"id\":\"o-1\"}");
        assertThat(codec.fromJson("{\"id\":\"o-1\",\"placedAt\":null}", Order.class)
                        .placedAt())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                "{",
                "[]",
                "{\"name\":\"pen\"} {}",
                "{name:\"4111-1111-1111-1111\"}",
                "{'name':'4111-1111-1111-1111'}",
                "{\"name\":\"4111-1111-1111-1111\"",
                "{\"count\":\"4111-1111-1111-1111\"}",
                "{\"count\":{\"4111-1111-1111-1111\":1}}",
                "{\"price\":\"4111-1111-1111-1111\"}",
                "4111-1111-1111-1111",
                "\"4111-1111-1111-1111\""
            })
    void turnsUnreadableTextIntoAParseExceptionThatDoesNotQuoteIt(String json) {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> codec.fromJson(json, Item.class))
                .withMessageContaining(Item.class.getName())
                .satisfies(GsonJsonCodecTest::quotesNothing);
    }

    @Test
    void doesNotQuoteAnUnreadableTime() {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> codec.fromJson("{\"placedAt\":\"" + SECRET + "\"}", Order.class))
                .withMessageContaining("DateTimeParseException")
                .satisfies(GsonJsonCodecTest::quotesNothing);
    }

    @Test
    void turnsTextNestedTooDeeplyIntoAParseException() {
        String deep = "[".repeat(500_000) + "]".repeat(500_000);

        assertThatExceptionOfType(PayloadParseException.class).isThrownBy(() -> codec.fromJson(deep, Object.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "null", " null "})
    void readsNothingAsAnEmptyStringMap(String json) {
        assertThat(codec.parseStringMap(json)).isEmpty();
        assertThat(codec.parseStringMap(null)).isEmpty();
    }

    @Test
    void readsAStringMapInOrder() {
        Map<String, String> map = codec.parseStringMap("{\"z\":\"1\",\"a\":\"\",\"n\":null,\"i\":7,\"b\":true}");

        assertThat(map.keySet()).containsExactly("z", "a", "n", "i", "b");
        assertThat(map.values()).containsExactly("1", "", null, "7", "true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1]", "{", "\"text\"", "{\"a\":1}x"})
    void refusesAStringMapThatIsNoObject(String json) {
        assertThatExceptionOfType(PayloadParseException.class).isThrownBy(() -> codec.parseStringMap(json));
    }

    @Test
    void keepsEnumsAndNestedTypes() {
        assertThat(codec.fromJson(codec.toJson(Colour.RED), Colour.class)).isEqualTo(Colour.RED);
    }

    @Test
    void readsATypeWithParameters() throws Exception {
        Type items = Order.class.getDeclaredField("items").getGenericType();

        List<Item> read = EventEnvelope.ofJson("A", "[{\"name\":\"pen\",\"count\":3,\"price\":1.10}]")
                .readBy(codec)
                .payload(items);

        assertThat(read).containsExactly(new Item("pen", 3, new BigDecimal("1.10")));
    }

    @Test
    void quotesNothingOfTextThatDoesNotFitATypeWithParameters() throws Exception {
        Type items = Order.class.getDeclaredField("items").getGenericType();

        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> codec.fromJson("[\"" + SECRET + "\"]", items))
                .withMessageContaining("List")
                .satisfies(GsonJsonCodecTest::quotesNothing);
    }

    private static void quotesNothing(Throwable e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        assertThat(Objects.toString(trace)).doesNotContain(SECRET);
    }
}
