package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testing.contract.Parallel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a consumer does on one thread, on any database. */
abstract class ConsumeContract {

    private static final EventIdExtractor<String> ITSELF = message -> message;

    private final String url;
    private Node node;
    private OutboxIdempotentConsumer consumer;

    ConsumeContract(String url) {
        this.url = url;
    }

    @BeforeEach
    void open() {
        node = new Node(url);
        node.execute("DELETE FROM outbox_consumed_event");
        node.execute("DELETE FROM effect");
        consumer = node.consumer("billing");
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void consume(String eventId) {
        consumer.consumeById(eventId, () -> node.effect(eventId));
    }

    private List<String> consume(List<String> eventIds) {
        return consumer.consumeReturning(eventIds, ITSELF, fresh -> {
                    node.effects(fresh);
                    return fresh;
                })
                .orElse(List.of());
    }

    @Test
    void anEventThatComesAgainIsSkippedWithoutAWord() {
        consume("a");
        consume("a");

        assertThat(node.effects()).containsExactly("a");
        assertThat(node.marks("billing")).containsExactly("a");
    }

    @Test
    void consumersOfDifferentNamesDoNotSeeEachOthersMarks() {
        OutboxIdempotentConsumer other = node.consumer("shipping");

        consume("a");
        other.consumeById("a", () -> node.effect("a by shipping"));
        other.consume(List.of("a", "b"), ITSELF, fresh -> node.effects(fresh));

        assertThat(node.effects()).containsExactly("a", "a by shipping", "b");
    }

    @Test
    void whatTheOperationThrowsComesOutAsItWasAndTheNextDeliveryRunsItAgain() {
        for (Throwable failure : List.of(new IllegalStateException("no"), new AssertionError("no"))) {
            assertThatThrownBy(() -> consumer.consumeById("a", () -> {
                        node.effect("a");
                        Sneaky.raise(failure);
                    }))
                    .isSameAs(failure);
        }
        assertThat(node.effects()).isEmpty();
        assertThat(node.marks("billing")).isEmpty();

        consume("a");

        assertThat(node.effects()).containsExactly("a");
    }

    @Test
    void aBatchThatFailsLeavesNothing() {
        consume("a");

        assertThatThrownBy(() -> consumer.consume(List.of("a", "b", "c"), ITSELF, fresh -> {
                    node.effects(fresh);
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(node.effects()).containsExactly("a");
        assertThat(node.marks("billing")).containsExactly("a");
        assertThat(consume(List.of("a", "b", "c"))).containsExactly("b", "c");
    }

    @Test
    void theTransactionOfTheCallerIsJoined() {
        try (Transaction tx = node.begin()) {
            consume("a");
            assertThat(node.marks("billing")).isEmpty();
            tx.rollback();
        }
        assertThat(node.effects()).isEmpty();

        try (Transaction tx = node.begin()) {
            consume("a");
            consume("a");
            consume(List.of("a", "b"));
            tx.commit();
        }
        assertThat(node.effects()).containsExactly("a", "b");
        assertThat(node.marks("billing")).containsExactly("a", "b");
    }

    @Test
    void aCallerThatCommitsInSpiteOfAFailureCommitsNoMark() {
        try (Transaction tx = node.begin()) {
            consume("a");
            assertThatThrownBy(() -> consumer.consume(List.of("a", "b", "c"), ITSELF, fresh -> {
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            tx.commit();
        }

        assertThat(node.marks("billing")).containsExactly("a");
        assertThat(consume(List.of("a", "b", "c"))).containsExactly("b", "c");
    }

    /** What another transaction committed after the snapshot of the caller's may show as a failure, never as new. */
    @Test
    void whatTheSnapshotOfTheCallerDoesNotShowIsNotConsumedAgain() throws SQLException {
        for (Function<List<String>, Object> call : List.<Function<List<String>, Object>>of(
                ids -> {
                    consume(ids.get(0));
                    return null;
                },
                this::consume)) {
            List<String> ids = Stream.generate(() -> UUID.randomUUID().toString())
                    .limit(3)
                    .sorted()
                    .toList();
            try (Transaction tx = node.begin()) {
                Connection conn = tx.connection();
                conn.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                assertThat(JdbcTemplate.query(
                                conn, "SELECT event_id FROM outbox_consumed_event", row -> row.getString(1)))
                        .doesNotContainAnyElementsOf(ids);
                Parallel.onAnotherThread(() -> consume(ids.subList(0, 2)));

                call.apply(ids);
                tx.commit();
            } catch (OutboxStoreException e) {
                assertThat(e).hasMessageContaining("serialize");
            }
            assertThat(node.effects()).doesNotHaveDuplicates().containsAll(ids.subList(0, 2));
        }
    }

    @Test
    void aBatchKeepsItsOrderAndTheFirstOfDuplicates() {
        record Message(String eventId, int number) {}
        consume("m");
        List<Message> messages = List.of(
                new Message("z", 1),
                new Message("m", 2),
                new Message("a", 3),
                new Message("z", 4),
                new Message("b", 5),
                new Message("a", 6));
        List<Integer> calls = new ArrayList<>();

        consumer.consume(messages, Message::eventId, fresh -> {
            fresh.forEach(message -> calls.add(message.number));
            calls.add(0);
        });

        assertThat(calls).containsExactly(1, 3, 5, 0);
    }

    @Test
    void theOperationIsNotCalledIfNothingIsNew() {
        consume(List.of("a", "b"));

        consumer.consume(List.of("b", "a"), ITSELF, fresh -> {
            throw new IllegalStateException("called with " + fresh);
        });
    }

    @Test
    void aBatchOfNothingBeginsNoTransaction() {
        int before = node.transactionsBegun();

        consumer.consume((List<String>) null, fresh -> node.effects(fresh));
        consumer.consume(List.<String>of(), fresh -> node.effects(fresh));
        consumer.consume(null, ITSELF, fresh -> node.effects(fresh));

        assertThat(node.transactionsBegun()).isEqualTo(before);
    }

    @Test
    void thousandsOfEventsAreOneBatch() {
        List<String> first =
                Stream.generate(() -> UUID.randomUUID().toString()).limit(5_000).toList();
        List<String> second = new ArrayList<>(first.subList(2_500, 5_000));
        IntStream.range(0, 2_500).forEach(i -> second.add(UUID.randomUUID().toString()));
        Collections.shuffle(second);

        assertThat(consume(first)).isEqualTo(first);
        assertThat(consume(first)).isEmpty();
        assertThat(consume(second)).hasSize(2_500).doesNotContainAnyElementsOf(first);

        assertThat(node.effects()).hasSize(7_500).doesNotHaveDuplicates();
    }

    @Test
    void idsThatDifferInCaseOrLengthAreDifferent() {
        String longest = "x".repeat(128);

        assertThat(consume(List.of("a", "A", "ä", "a b", "ab", longest, longest.substring(1))))
                .hasSize(7);
        assertThat(consume(List.of("a", "A", "ä", "a b", "ab", longest, longest.substring(1))))
                .isEmpty();
    }

    /** Raises checked and unchecked throwables alike. */
    static final class Sneaky {

        private Sneaky() {}

        @SuppressWarnings("unchecked")
        static <E extends Throwable> void raise(Throwable e) throws E {
            throw (E) e;
        }
    }
}
