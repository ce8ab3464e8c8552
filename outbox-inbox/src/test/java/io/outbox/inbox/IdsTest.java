package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.EventEnvelope;
import io.outbox.spi.HeaderReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How messages are told apart, and what becomes of those that cannot be. */
class IdsTest {

    private static final UUID ID = UUID.fromString("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b");

    private final Node node = new Node(TestDatabase.H2.newUrl());
    private final OutboxIdempotentConsumer consumer = node.consumer("billing");

    @AfterEach
    void close() {
        node.close();
    }

    private static Map<String, Object> headers(Object id) {
        return Collections.singletonMap("outbox_event_id", id);
    }

    @Test
    void theSameIdMayComeAsUuidAsTextOrAsBytes() {
        List<Object> messages = List.of(
                headers(ID),
                headers(ID.toString()),
                headers(ID.toString().toUpperCase(Locale.ROOT)),
                headers(new StringBuilder(ID.toString())),
                headers(ID.toString().getBytes(StandardCharsets.UTF_8)),
                EventEnvelope.builder("OrderPlaced")
                        .eventId(ID.toString())
                        .payloadJson("{}")
                        .build());

        consumer.consume(messages, fresh -> assertThat(fresh).containsExactly(messages.get(0)));
        messages.forEach(message -> consumer.consume(message, IdsTest::fail));
        consumer.consumeById(ID, IdsTest::fail);
        consumer.consumeById(ID.toString(), IdsTest::fail);
        consumer.consume("message", message -> ID, IdsTest::fail);

        assertThat(node.marks("billing")).containsExactly(ID.toString());
    }

    private static void fail() {
        throw new AssertionError("consumed again");
    }

    @Test
    void resultsComeBackOfWhatRan() {
        assertThat(consumer.consumeReturning(headers("a"), () -> 1)).contains(1);
        assertThat(consumer.consumeReturning(headers("a"), () -> 1)).isEmpty();
        assertThat(consumer.consumeReturning(List.of(headers("a"), headers("b")), List::size))
                .contains(1);
        assertThat(consumer.consumeByIdReturning(ID, () -> 1)).contains(1);
        assertThat(consumer.consumeByIdReturning(ID, () -> 1)).isEmpty();
        assertThat(consumer.consumeReturning("x", message -> "c", () -> 1)).contains(1);
        assertThat(consumer.consumeByIdReturning("d", (Supplier<Integer>) () -> null))
                .isEmpty();
    }

    static Stream<Object> unusable() {
        return Stream.of(null, "", "  ", " a", "a\n", "a\0b", "x".repeat(129), "\uD800", 42, new byte[0], new byte[] {
            (byte) 0xC3, 0x28
        });
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void anUnusableIdIsRefusedByTheNameOfItsHeader(Object id) {
        int before = node.transactionsBegun();

        assertThatExceptionOfType(InvalidEventIdException.class)
                .isThrownBy(() -> consumer.consume(headers(id), IdsTest::fail))
                .withMessageContaining("outbox_event_id")
                .satisfies(e -> assertThat(e.header()).isEqualTo("outbox_event_id"));
        assertThatExceptionOfType(InvalidEventIdException.class)
                .isThrownBy(() -> consumer.consume(List.of(headers("a"), headers(id)), fresh -> fail()));
        assertThatExceptionOfType(InvalidEventIdException.class)
                .isThrownBy(() -> consumer.consume("message", message -> id, IdsTest::fail));

        assertThat(node.transactionsBegun()).isEqualTo(before);
    }

    @Test
    void aRefusalCountsTheWholeBatchAsFailed() {
        CountingMetrics metrics = new CountingMetrics();
        OutboxIdempotentConsumer counting =
                node.inbox().consumer().metrics(metrics).build();

        assertThatExceptionOfType(InvalidEventIdException.class)
                .isThrownBy(() -> counting.consume(List.of(headers("a"), headers("")), fresh -> fail()));

        assertThat(metrics.counts()).isEqualTo(Map.of("failed", 2L));
    }

    @Test
    void anExtractorThatFailsCountsAsAFailure() {
        CountingMetrics metrics = new CountingMetrics();
        OutboxIdempotentConsumer counting =
                node.inbox().consumer().metrics(metrics).build();
        EventIdExtractor<String> broken = message -> {
            throw new IllegalStateException("no id in " + message);
        };

        assertThatIllegalStateException().isThrownBy(() -> counting.consume("a", broken, IdsTest::fail));
        assertThatIllegalStateException()
                .isThrownBy(() -> counting.consume(List.of("a", "b"), broken, fresh -> fail()));

        assertThat(metrics.counts()).isEqualTo(Map.of("failed", 3L));
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void whetherAMessageCanBeToldFromOthersIsKnownBeforehand(Object id) {
        CountingMetrics metrics = new CountingMetrics();
        OutboxIdempotentConsumer strict =
                node.inbox().consumer().metrics(metrics).build();
        OutboxIdempotentConsumer lenient =
                node.inbox().consumer().unidentified(Unidentified.PASS_ON).build();

        assertThat(strict.isIdentified(headers(id))).isFalse();
        assertThat(strict.isIdentified(headers("a"))).isTrue();
        assertThat(lenient.isIdentified(headers(id))).isTrue();
        assertThat(metrics.counts()).isEmpty();
    }

    @Test
    void aMessageForWhichTheExtractorFailsCannotBeToldFromOthers() {
        OutboxIdempotentConsumer broken = node.inbox()
                .consumer()
                .idExtractor(message -> {
                    if (message.equals("b")) {
                        throw new IllegalStateException("no id in it");
                    }
                    return message;
                })
                .build();

        assertThat(broken.isIdentified("a")).isTrue();
        assertThat(broken.isIdentified("b")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void anUnusableIdIsPassedOnIfSoConfigured(Object id) {
        OutboxIdempotentConsumer lenient =
                node.inbox().consumer().unidentified(Unidentified.PASS_ON).build();
        List<Object> messages = List.of(headers(id), headers("a"), headers(id), headers("a"));

        lenient.consume(messages, fresh -> node.effects(List.of("first", String.valueOf(fresh.size()))));
        lenient.consume(messages, fresh -> node.effects(List.of("second", String.valueOf(fresh.size()))));
        lenient.consume(headers(id), () -> node.effect("third"));

        assertThat(node.effects()).containsExactly("2", "3", "first", "second", "third");
        assertThat(node.marks(JdbcInbox.DEFAULT_CONSUMER)).containsExactly("a");
    }

    @Test
    void aKindOfMessageThatNobodyCanReadIsRefusedWithTheRemedy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> consumer.consume(42, IdsTest::fail))
                .withMessageContaining("java.lang.Integer")
                .withMessageContaining("HeaderReader");
    }

    @Test
    void aReaderOfTheApplicationComesFirst() {
        OutboxIdempotentConsumer own = node.inbox()
                .consumer()
                .idHeader("message-id")
                .headerReader(new HeaderReader<Integer>() {
                    @Override
                    public Class<Integer> messageType() {
                        return Integer.class;
                    }

                    @Override
                    public Object header(Integer message, String name) {
                        return name + " " + message;
                    }
                })
                .build();

        own.consume(42, () -> node.effect("once"));
        own.consume(42, () -> node.effect("twice"));
        own.consume(Map.of("message-id", "a"), () -> node.effect("map"));

        assertThat(node.effects()).containsExactly("map", "once");
    }

    @Test
    void nullArgumentsFailBeforeATransactionBegins() {
        int before = node.transactionsBegun();
        List<Runnable> calls = List.of(
                () -> consumer.isIdentified(null),
                () -> consumer.consume((Object) null, IdsTest::fail),
                () -> consumer.consume(headers("a"), (Runnable) null),
                () -> consumer.consume(List.of(headers("a")), (Consumer<List<Map<String, Object>>>) null),
                () -> consumer.consume(Arrays.asList(headers("a"), null), fresh -> fail()),
                () -> consumer.consume("a", (EventIdExtractor<String>) null, IdsTest::fail),
                () -> consumer.consume(List.of("a"), null, fresh -> fail()),
                () -> consumer.consumeById((String) null, IdsTest::fail),
                () -> consumer.consumeById((UUID) null, IdsTest::fail),
                () -> consumer.consumeById("a", null),
                () -> consumer.consumeReturning(headers("a"), (Supplier<String>) null),
                () -> consumer.idempotent(null));

        calls.forEach(call -> assertThatNullPointerException().isThrownBy(call::run));

        assertThat(node.transactionsBegun()).isEqualTo(before);
    }

    @Test
    void namesThatCannotBeKeptAreRefused() {
        for (String name : List.of("", " ", "a ", "a\tb", "x".repeat(129))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> node.inbox().consumer().name(name))
                    .withMessageContaining("name must");
        }
    }
}
