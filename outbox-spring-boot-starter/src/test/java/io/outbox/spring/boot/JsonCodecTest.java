package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

class JsonCodecTest {

    /** A payload. */
    public record Order(String id, int amount) {}

    static Stream<JsonCodec> codecs() {
        return Stream.of(
                new JacksonJsonCodec(new tools.jackson.databind.json.JsonMapper()),
                new Jackson2JsonCodec(new com.fasterxml.jackson.databind.ObjectMapper()));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void writesAndReads(JsonCodec codec) {
        String json = codec.toJson(new Order("a", 3));
        assertThat(json).isEqualTo("{\"id\":\"a\",\"amount\":3}");
        assertThat(codec.fromJson(json, Order.class)).isEqualTo(new Order("a", 3));
        assertThat(codec.parseStringMap("{\"a\":\"b\"}")).isEqualTo(Map.of("a", "b"));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void keepsThePayloadOutOfItsMessages(JsonCodec codec) {
        assertThatThrownBy(() -> codec.fromJson("{\"id\": \"secret\", \"amount\": \"secret\"}", Order.class))
                .isInstanceOf(PayloadParseException.class)
                .hasMessageContaining(Order.class.getName())
                .hasMessageContaining("line 1")
                .satisfies(e -> assertThat(e.toString() + e.getCause()).doesNotContain("secret"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.toJson(new Object() {
                    @SuppressWarnings("unused")
                    public String getValue() {
                        throw new UnsupportedOperationException();
                    }
                }));
    }

    @Test
    void isMadeFromTheMapperOfTheApplication() {
        boolean boot4 = SpringBootVersion.getVersion().startsWith("4.");
        TestApplication.runner()
                .run(context -> assertThat(context.getBean(JsonCodec.class))
                        .isInstanceOf(boot4 ? JacksonJsonCodec.class : Jackson2JsonCodec.class));
        TestApplication.runner()
                .withClassLoader(new FilteredClassLoader("tools.jackson"))
                .run(context -> assertThat(context).hasSingleBean(Jackson2JsonCodec.class));
    }

    @Test
    void isMadeFromAMapperOfItsOwnWhereTheApplicationHasNone() {
        PlainApplication.runner().run(context -> {
            JsonCodec codec = context.getBean(JsonCodec.class);
            assertThat(codec.toJson(new Visit(Instant.EPOCH, Duration.ofMinutes(5))))
                    .isEqualTo("{\"at\":\"1970-01-01T00:00:00Z\",\"took\":\"PT5M\"}");
            assertThat(codec.fromJson("{\"at\":\"1970-01-01T00:00:00Z\",\"unknown\":1}", Visit.class))
                    .isEqualTo(new Visit(Instant.EPOCH, null));
        });
    }

    /** A payload with times. */
    public record Visit(Instant at, Duration took) {}

    @Test
    void itsOwnMapperKnowsOptionalAndConstructorsAsThatOfSpringBootDoes() {
        JsonCodec codec = new Jackson2JsonCodec();

        assertThat(codec.toJson(new Gift(Optional.of("card")))).isEqualTo("{\"note\":\"card\"}");
        assertThat(codec.fromJson("{\"note\":\"card\"}", Gift.class)).isEqualTo(new Gift(Optional.of("card")));
        assertThat(codec.fromJson("{\"street\":\"Elm\",\"number\":7}", Address.class))
                .hasToString("Elm 7");
    }

    /** A payload with an optional value. */
    public record Gift(Optional<String> note) {}

    /** A payload that is immutable, and no record. */
    public static final class Address {

        private final String street;
        private final int number;

        public Address(String street, int number) {
            this.street = street;
            this.number = number;
        }

        @Override
        public String toString() {
            return street + " " + number;
        }
    }

    /** A payload that no mapper can make. */
    public abstract static class Unreadable {}

    @ParameterizedTest
    @MethodSource("codecs")
    void saysWhatIsWrongWithAClassButNotWithWhichPayload(JsonCodec codec) {
        assertThatThrownBy(() -> codec.fromJson("{\"id\": \"secret\"}", Unreadable.class))
                .isInstanceOf(PayloadParseException.class)
                .hasMessageContaining("abstract types");
        assertThatThrownBy(() -> codec.fromJson("\"secret\"", Unreadable.class))
                .isInstanceOf(PayloadParseException.class)
                .satisfies(e -> assertThat(e.toString()).doesNotContain("secret"));
    }

    /** A payload that refuses to be made of nothing. */
    public record Careful(String id) {
        public Careful {
            Objects.requireNonNull(id, "id");
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void tellsWhatItCanNeverRead(JsonCodec codec) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.requireReadable(Unreadable.class))
                .withMessageContaining(Unreadable.class.getName())
                .withMessageContaining("abstract types");
        List.of(Order.class, Careful.class, Integer.class, String[].class, Map.class, Object.class, DayOfWeek.class)
                .forEach(codec::requireReadable);
    }

    @Test
    void isLeftToTheApplicationWhereJacksonIsExcluded() {
        PlainApplication.runner()
                .withClassLoader(new FilteredClassLoader("com.fasterxml.jackson"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JsonCodec.class));
    }

    @Test
    void isThePrimaryOneOfSeveral() {
        TestApplication.runner(TwoCodecs.class)
                .withBean("third", JsonCodec.class, Jackson2JsonCodec::new, bean -> bean.setPrimary(true))
                .run(context -> assertThat(JsonCodec.getDefault()).isSameAs(context.getBean("third")));
    }

    static class OfText {
        @OutboxListener(eventType = "Placed")
        void on(String order) {}
    }

    static class OfOrders {
        @OutboxListener
        void on(Order order) {}
    }

    @Test
    void isMissedAtTheStartIfAListenerNeedsItAndNoneOfSeveralIsPrimary() {
        TestApplication.runner(TwoCodecs.class, OfText.class)
                .run(context -> assertThat(context).hasNotFailed());
        TestApplication.runner(TwoCodecs.class, OfOrders.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("OfOrders.on")
                        .hasStackTraceContaining("several JsonCodec beans, [first, second]"));
    }

    @Test
    void isMissedOnlyWhereItIsNeededIfNoneOfSeveralIsPrimary() {
        TestApplication.runner(TwoCodecs.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThatIllegalStateException()
                    .isThrownBy(() -> EventEnvelope.ofJson("Placed", "{}").payload(Order.class))
                    .withMessageContaining("first, second")
                    .withMessageContaining("@Primary");
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            transaction.executeWithoutResult(tx -> publisher.publish("Placed", new Order("1", 1))))
                    .withMessageContaining("first, second");
        });
    }

    /** A codec whose texts only it can read. */
    static class Enveloped implements JsonCodec {
        private final JsonCodec inner = new Jackson2JsonCodec();

        @Override
        public String toJson(Object value) {
            return "[" + inner.toJson(value) + "]";
        }

        @Override
        public <T> T fromJson(String json, Class<T> type) {
            return inner.fromJson(json.substring(1, json.length() - 1), type);
        }

        @Override
        public Map<String, String> parseStringMap(String json) {
            return inner.parseStringMap(json);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ChosenCodec {
        private final Queue<Order> delivered = new ConcurrentLinkedQueue<>();

        @Bean
        OutboxCustomizer codecOfTheOutbox() {
            return builder -> builder.jsonCodec(new Enveloped());
        }

        @OutboxListener
        void on(Order order) {
            delivered.add(order);
        }
    }

    @Test
    void ofACustomizerWritesAndReadsWhateverBeansThereAre() {
        for (Class<?> codecs : List.of(Jackson2JsonCodec.class, TwoCodecs.class)) {
            TestApplication.runner(codecs, ChosenCodec.class).run(context -> {
                assertThat(context).hasNotFailed();
                for (OutboxPublisher publisher : List.of(
                        context.getBean(OutboxPublisher.class),
                        context.getBean(Outbox.class).publisher())) {
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(tx -> publisher.publish(new Order("1", 1)));
                }

                Queue<Order> delivered = context.getBean(ChosenCodec.class).delivered;
                await().untilAsserted(
                                () -> assertThat(delivered).containsExactly(new Order("1", 1), new Order("1", 1)));
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoCodecs {
        @Bean
        JsonCodec first() {
            return new Jackson2JsonCodec();
        }

        @Bean
        JsonCodec second() {
            return new Jackson2JsonCodec();
        }
    }

    @Test
    void isTheDefaultWhileTheApplicationRuns() {
        TestApplication.runner().run(context -> {
            assertThat(JsonCodec.getDefault()).isSameAs(context.getBean(JsonCodec.class));
            EventEnvelope event = EventEnvelope.ofJson("Placed", "{\"id\":\"a\",\"amount\":3}");
            assertThat(event.payload(Order.class)).isEqualTo(new Order("a", 3));
            assertThat(JsonCodec.getDefault().toJson(Map.of("at", Instant.EPOCH)))
                    .contains("1970-01-01T00:00:00Z");
        });
        assertThatThrownBy(JsonCodec::getDefault).isInstanceOf(IllegalStateException.class);
    }
}
