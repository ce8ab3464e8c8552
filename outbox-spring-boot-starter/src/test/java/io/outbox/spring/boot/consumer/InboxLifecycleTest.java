package io.outbox.spring.boot.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.inbox.InboxMetrics;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.inbox.Unidentified;
import io.outbox.spring.boot.Idempotent;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class InboxLifecycleTest {

    private final JdbcDataSource dataSource = new JdbcDataSource();
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final AtomicInteger asked = new AtomicInteger();
    private IdempotentConsumers consumers;
    private InboxLifecycle lifecycle;

    @BeforeEach
    void create() {
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        JdbcInbox inbox = JdbcInbox.of(dataSource).createSchema();
        consumers = new IdempotentConsumers(
                "billing", name -> inbox.consumer().name(name).build(), UnaryOperator.identity());
        ConsumerSettings.CleanUp rules =
                new ConsumerSettings.CleanUp(10, Duration.ofHours(24), Duration.ZERO, Duration.ofMillis(10));
        lifecycle = new InboxLifecycle(
                () -> {
                    asked.incrementAndGet();
                    return inbox;
                },
                consumers,
                new ConsumerSettings(
                        "billing",
                        "outbox_consumed_event",
                        "outbox_event_id",
                        Optional.empty(),
                        Unidentified.REFUSE,
                        Optional.of(rules),
                        Optional.empty()),
                InboxMetrics.NOOP,
                true);
    }

    @AfterEach
    void stop() {
        lifecycle.stop();
    }

    @Idempotent
    private static final class Late {}

    private OutboxIdempotentConsumer listener(String name) {
        return consumers.ofListener(Late.class.getAnnotation(Idempotent.class), name);
    }

    private void consumeLongAgo(OutboxIdempotentConsumer consumer) {
        consumer.consumeById("1", () -> {});
        jdbc.update("UPDATE outbox_consumed_event SET consumed_at = DATEADD(DAY, -2, consumed_at)");
    }

    private void awaitNoMarks() {
        await().untilAsserted(() -> assertThat(
                        jdbc.queryForObject("SELECT COUNT(*) FROM outbox_consumed_event", Integer.class))
                .isZero());
    }

    @Test
    void marksOfConsumersThatComeAfterTheStartAreCleanedUp() {
        lifecycle.start();
        assertThat(lifecycle.isRunning()).isTrue();
        assertThat(asked).as("without a consumer there may be no table").hasValue(0);
        consumeLongAgo(listener("first"));
        awaitNoMarks();
        consumeLongAgo(listener("second"));
        awaitNoMarks();
        assertThat(asked).as("one clean-up for all").hasValue(1);
    }

    @Test
    void nothingIsCleanedUpBeforeTheStartOrAfterTheEnd() {
        consumers.ofApplication();
        assertThat(asked).hasValue(0);
        lifecycle.start();
        lifecycle.start();
        lifecycle.stop();
        listener("late");
        assertThat(asked).hasValue(1);
        lifecycle.start();
        assertThat(asked).hasValue(2);
    }
}
