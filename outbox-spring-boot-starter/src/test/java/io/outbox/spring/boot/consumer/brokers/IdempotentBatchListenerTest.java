package io.outbox.spring.boot.consumer.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.outbox.OutboxHeaders;
import io.outbox.inbox.InboxMetrics;
import io.outbox.inbox.InvalidEventIdException;
import io.outbox.inbox.JdbcInbox;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.support.Acknowledgment;

/** What the container of a batch listener is told: that just those messages are done whose effects are committed. */
class IdempotentBatchListenerTest {

    private final JdbcDataSource dataSource = new JdbcDataSource();
    private final List<String> answers = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();
    private final Map<String, Long> counts = new HashMap<>();
    private JdbcInbox inbox;

    @BeforeEach
    void createTables() {
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        inbox = JdbcInbox.of(dataSource).createSchema();
        new JdbcTemplate(dataSource).execute("CREATE TABLE bill (item VARCHAR(100) NOT NULL)");
    }

    /** Takes one message after the other. */
    private interface Items {
        void on(List<ConsumerRecord<String, String>> messages, int index, Acknowledgment acknowledgment);
    }

    private void deliver(Items items, String... batch) {
        BatchAcknowledgingConsumerAwareMessageListener<String, String> listener = new Listener(items);
        new IdempotentBatchListener<>(listener, idempotent()).onMessage(messages(batch), new Container(), null);
    }

    /** Counts as a consumer's metrics do. */
    private final class Counted implements InboxMetrics {

        @Override
        public void incrementConsumed(long count) {
            counts.merge("consumed", count, Long::sum);
        }

        @Override
        public void incrementFailed(long count) {
            counts.merge("failed", count, Long::sum);
        }
    }

    private BrokerListeners.Listener idempotent() {
        return new BrokerListeners.Listener(
                "bills.on",
                getClass(),
                inbox.consumer().name("billing").metrics(new Counted()).build(),
                inbox.transactions().context());
    }

    private final class Listener implements BatchAcknowledgingConsumerAwareMessageListener<String, String> {

        private final Items items;

        private Listener(Items items) {
            this.items = items;
        }

        @Override
        public void onMessage(
                List<ConsumerRecord<String, String>> messages, Acknowledgment acknowledgment, Consumer<?, ?> kafka) {
            for (int i = 0; i < messages.size(); i++) {
                bill(messages.get(i).value());
                items.on(messages, i, acknowledgment);
            }
        }
    }

    private final class Container implements Acknowledgment {

        @Override
        public void acknowledge() {
            answers.add("ack");
        }

        @Override
        public void acknowledge(int index) {
            answers.add("ack " + index);
        }

        @Override
        public void nack(int index, Duration sleep) {
            answers.add("nack " + index + " " + sleep.toMillis() + " ms");
        }
    }

    private void bill(String item) {
        try (Statement statement = inbox.currentConnection().createStatement()) {
            statement.execute("INSERT INTO bill (item) VALUES ('" + item + "')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> bills() {
        return new JdbcTemplate(dataSource).queryForList("SELECT item FROM bill ORDER BY item", String.class);
    }

    private static List<ConsumerRecord<String, String>> messages(String... items) {
        List<ConsumerRecord<String, String>> messages = new ArrayList<>();
        for (String item : items) {
            messages.add(message(messages.size(), item));
        }
        return messages;
    }

    private static ConsumerRecord<String, String> message(long offset, String item) {
        ConsumerRecord<String, String> message = new ConsumerRecord<>("bills", 0, offset, null, item);
        if (!item.equals("nameless")) {
            message.headers().add(OutboxHeaders.EVENT_ID.getValue(), item.getBytes(StandardCharsets.UTF_8));
        }
        return message;
    }

    private static void failAt(String item, List<ConsumerRecord<String, String>> messages, int index) {
        if (messages.get(index).value().equals(item)) {
            throw new BatchListenerFailedException("no " + item, index);
        }
    }

    private static void assertFailedAt(Throwable failure, int index) {
        assertThat(failure)
                .asInstanceOf(type(BatchListenerFailedException.class))
                .extracting(BatchListenerFailedException::getIndex)
                .isEqualTo(index);
    }

    @Test
    void whatIsCalledInATransactionIsRefusedSinceTheContainerWouldLearnTooEarly() {
        assertThatThrownBy(() -> inbox.transactions().run(() -> {
                    deliver((messages, i, acknowledgment) -> acknowledgment.acknowledge(), "a");
                    return null;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The idempotent listener bills.on was called in a transaction");
        AcknowledgingConsumerAwareMessageListener<String, String> single = (message, acknowledgment, kafka) -> {};
        assertThatThrownBy(() -> inbox.transactions().run(() -> {
                    new IdempotentRecordListener<>(single, idempotent())
                            .onMessage(message(0, "a"), new Container(), null);
                    return null;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The idempotent listener bills.on was called in a transaction");
        assertThat(answers).isEmpty();
        assertThat(bills()).isEmpty();
    }

    @Test
    void aMessageThatIsRefusedInTheSecondCallIsTheOneThatFailed() {
        Throwable failure = catchThrowable(() -> deliver(
                (messages, i, acknowledgment) -> {
                    failAt("poison", messages, i);
                    if (messages.get(i).value().equals("b") && !seen.add("b")) {
                        acknowledgment.nack(i, Duration.ofMillis(7));
                    }
                },
                "a",
                "b",
                "poison"));
        assertFailedAt(failure, 1);
        assertThat(bills()).containsExactly("a");
    }

    @Test
    void aFailureMayNameItsMessageByACopyOfIt() {
        Throwable failure = catchThrowable(() -> deliver(
                (messages, i, acknowledgment) -> {
                    ConsumerRecord<String, String> message = messages.get(i);
                    if (message.value().equals("poison")) {
                        throw new BatchListenerFailedException("no", message(message.offset(), "read as an object"));
                    }
                },
                "a",
                "poison",
                "b"));
        assertFailedAt(failure, 1);
        assertThat(bills()).containsExactly("a");
    }

    @Test
    void aFailureAtAMessageThatIsNotOfTheBatchDoesNotReachTheContainer() {
        for (BatchListenerFailedException wrong : List.of(
                new BatchListenerFailedException("no", message(99, "another")),
                new BatchListenerFailedException("no", 2))) {
            Throwable failure = catchThrowable(() -> deliver(
                    (messages, i, acknowledgment) -> {
                        throw new IllegalStateException(wrong);
                    },
                    "a",
                    "b"));
            assertFailedAt(failure, 0);
            assertThat(failure.getCause())
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasNoCause();
            assertThat(failure.getCause().getSuppressed()[0]).hasCause(wrong);
            assertThat(bills()).isEmpty();
        }
    }

    @Test
    void aRefusalBesideAMessageWithoutAnIdIsPassedOnWithItsPause() {
        deliver(
                (messages, i, acknowledgment) -> {
                    if (messages.get(i).value().equals("late")) {
                        acknowledgment.nack(i, Duration.ofMillis(7));
                    }
                },
                "a",
                "late",
                "nameless");
        assertThat(answers).containsExactly("nack 1 7 ms");
        assertThat(bills()).containsExactly("a");
    }

    @Test
    void aFailureBesideAMessageWithoutAnIdIsReportedAtItsPlace() {
        Items failing = (messages, i, acknowledgment) -> {
            failAt("poison", messages, i);
            if (messages.get(i).value().equals("broken")) {
                throw new IllegalArgumentException("broken");
            }
        };
        assertFailedAt(catchThrowable(() -> deliver(failing, "a", "b", "poison", "nameless")), 2);
        Throwable broken = catchThrowable(() -> deliver(failing, "a", "c", "broken", "nameless"));
        assertFailedAt(broken, 2);
        assertThat(broken).hasRootCauseInstanceOf(IllegalArgumentException.class);
        Throwable nameless = catchThrowable(() -> deliver(failing, "d", "nameless", "e"));
        assertFailedAt(nameless, 1);
        assertThat(nameless).hasCauseInstanceOf(InvalidEventIdException.class);
        assertThat(bills()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void afterAFailureWithoutANameTheMessagesAreConsumedOneByOneUpToTheOneThatFails() {
        Items failing = (messages, i, acknowledgment) -> {
            if (messages.get(i).value().equals("broken")) {
                throw new IllegalArgumentException("broken");
            }
        };
        Throwable broken = catchThrowable(() -> deliver(failing, "a", "b", "broken", "c"));
        assertFailedAt(broken, 2);
        assertThat(broken).hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(bills()).containsExactly("a", "b");
    }

    @Test
    void ofABatchWithAMessageWithoutAnIdOnlyThatOneCountsAsFailed() {
        Throwable nameless = catchThrowable(() -> deliver((messages, i, acknowledgment) -> {}, "a", "nameless", "b"));
        assertFailedAt(nameless, 1);
        assertThat(counts).containsOnly(entry("consumed", 1L), entry("failed", 1L));
    }

    @Test
    void messagesCanBeAcknowledgedOneByOneBeforeOneFails() {
        Throwable failure = catchThrowable(() -> deliver(
                (messages, i, acknowledgment) -> {
                    failAt("poison", messages, i);
                    acknowledgment.acknowledge(i);
                },
                "a",
                "b",
                "poison"));
        assertFailedAt(failure, 2);
        assertThat(bills()).containsExactly("a", "b");
        assertThat(answers).as("the position of the failure tells the rest").isEmpty();

        deliver((messages, i, acknowledgment) -> acknowledgment.acknowledge(i), "a", "b", "c");
        assertThat(answers).containsExactly("ack 2");
    }
}
