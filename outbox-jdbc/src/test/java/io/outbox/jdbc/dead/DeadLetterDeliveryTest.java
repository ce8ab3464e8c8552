package io.outbox.jdbc.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dead.OutboxDlqHandler;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.CountingMetrics;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.FailedAttempt;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.support.CapturedLog;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dead letters of an outbox that delivers. */
class DeadLetterDeliveryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Queue<List<OutboxEvent>> batches = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean mended;
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry()
            .register(DeliveryFixture.TYPE, event -> {
                calls.incrementAndGet();
                if (!mended) {
                    throw new IllegalStateException("broken");
                }
                return DispatchResult.done();
            });

    private Outbox.AbstractBuilder<?> outbox(JdbcOutbox jdbc, OutboxDlqHandler handler) {
        return Outbox.singleNode()
                .maxAttempts(2)
                .retryPolicy(attempts -> 1)
                .backend(jdbc.backend())
                .listenerRegistry(listeners)
                .intervalMs(20)
                .deadLetters(DeadLetterPolicy.DEFAULT.withHandler(handler));
    }

    private static List<EventEnvelope> write(JdbcOutbox jdbc, Outbox outbox, int count) {
        List<EventEnvelope> events = DeliveryFixture.events(count);
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().writeAll(events);
            tx.commit();
        }
        return events;
    }

    @ParameterizedTest
    @EnumSource
    void anEventThatIsReturnedIsDeliveredByTheNormalPath(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            try (Outbox outbox = outbox(jdbc, batches::add).build()) {
                String id = write(jdbc, outbox, 1).get(0).eventId();
                await().atMost(PATIENCE).until(() -> !batches.isEmpty());
                assertThat(calls).hasValue(2);
                assertThat(outbox.deadLetters().orElseThrow().attempts(id))
                        .extracting(FailedAttempt::attempt)
                        .containsExactly(1, 2);
                OutboxEvent told = batches.peek().get(0);
                assertThat(told.eventId()).isEqualTo(id);
                assertThat(told.attempts()).isEqualTo(2);
                assertThat(OutboxRows.all(pool)).isEmpty();

                mended = true;
                assertThat(outbox.deadLetters()
                                .orElseThrow()
                                .retry(List.of(id), "ann")
                                .isMade())
                        .isTrue();

                await().atMost(PATIENCE).until(() -> OutboxRows.done(pool).contains(id));
                assertThat(calls).hasValue(3);
                assertThat(batches).hasSize(1);
            }
        }
    }

    /** The store has taken a batch, and the answer got lost: it is written again, and its handler told once. */
    @ParameterizedTest
    @EnumSource
    void aHandlerIsToldOnceThoughTheAnswerToTheCommitGotLost(TestDatabase database) {
        AtomicInteger toLose = new AtomicInteger(1);
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            JdbcOutbox jdbc =
                    JdbcOutbox.of(losingAnswers(pool, toLose)).withDeadLetters().createSchema();
            try (Outbox outbox = outbox(jdbc, batches::add).build()) {
                List<EventEnvelope> events = write(jdbc, outbox, 20);
                await().atMost(PATIENCE)
                        .until(() -> batches.stream().mapToInt(List::size).sum() >= events.size());

                assertThat(toLose).hasNonPositiveValue();
                assertThat(batches.stream().flatMap(List::stream).map(OutboxEvent::eventId))
                        .containsExactlyInAnyOrderElementsOf(DeliveryFixture.ids(events));
                assertThat(OutboxRows.all(pool)).isEmpty();
                assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_dlq_event"))
                        .isEqualTo(20);
                assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_dlq_event_attempt"))
                        .isEqualTo(40);
            }
        }
    }

    /** Lets that many commits of moves take effect and fail all the same. */
    private static DataSource losingAnswers(DataSource dataSource, AtomicInteger toLose) {
        ThreadLocal<Boolean> moved = ThreadLocal.withInitial(() -> false);
        return Intercepted.dataSource(dataSource, call -> {
            Object answer = call.proceed();
            if (call.executes("INSERT INTO outbox_dlq_event ")) {
                moved.set(true);
            }
            if (call.name().equals("commit") && moved.get()) {
                moved.set(false);
                if (toLose.getAndDecrement() > 0) {
                    throw new SQLException("the answer got lost", "08006");
                }
            }
            return answer;
        });
    }

    @Test
    void aHandlerThatThrowsIsLoggedAndHarmless() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6);
                CapturedLog log = CapturedLog.open()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            try (Outbox outbox = outbox(jdbc, events -> {
                        throw new AssertionError("handler");
                    })
                    .build()) {
                write(jdbc, outbox, 3);
                await().atMost(PATIENCE)
                        .until(() -> outbox.deadLetters()
                                        .orElseThrow()
                                        .list(null, 0, 10)
                                        .size()
                                == 3);
                await().atMost(PATIENCE).until(() -> log.text().contains("The handler of dead letters failed"));
                mended = true;
                String id = write(jdbc, outbox, 1).get(0).eventId();
                await().atMost(PATIENCE).until(() -> OutboxRows.done(pool).contains(id));
            }
        }
    }

    /** Neither hot nor cold events wait for it, nor does the end. */
    @Test
    void aHandlerThatBlocksHoldsUpNothingElse() {
        CountDownLatch never = new CountDownLatch(1);
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            Outbox outbox = outbox(jdbc, events -> {
                        batches.add(events);
                        awaitUninterrupted(never);
                    })
                    .build();
            try {
                write(jdbc, outbox, 1);
                await().atMost(PATIENCE).until(() -> batches.size() == 1);

                write(jdbc, outbox, 1);
                await().atMost(PATIENCE)
                        .until(() -> outbox.deadLetters().orElseThrow().count(null, null) == 2);
                mended = true;
                List<String> ids = DeliveryFixture.ids(write(jdbc, outbox, 50));
                await().atMost(PATIENCE).until(() -> OutboxRows.done(pool).containsAll(ids));
                assertThat(batches).hasSize(1);
            } finally {
                assertTimeoutPreemptively(PATIENCE, outbox::close);
                never.countDown();
            }
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.interrupted(); // as a handler that does not hear it
            }
        }
    }

    @Test
    void whatDiesWhileTheOutboxIsClosedIsTold() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        DefaultListenerRegistry slow = new DefaultListenerRegistry().register(DeliveryFixture.TYPE, event -> {
            begun.countDown();
            goOn.await();
            return DispatchResult.dead("broken");
        });
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            Outbox outbox = outbox(jdbc, batches::add).listenerRegistry(slow).build();
            write(jdbc, outbox, 1);
            begun.await();
            Thread closing = new Thread(outbox::close);
            closing.start();
            await().atMost(PATIENCE).until(() -> closing.getState() == Thread.State.TIMED_WAITING);

            goOn.countDown();
            closing.join();

            assertThat(batches).hasSize(1);
        }
    }

    @Test
    void withoutAHandlerTheIdsAreLoggedAtError() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6);
                CapturedLog log = CapturedLog.open()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            try (Outbox outbox = Outbox.singleNode()
                    .maxAttempts(1)
                    .backend(jdbc.backend())
                    .listenerRegistry(listeners)
                    .build()) {
                String id = write(jdbc, outbox, 1).get(0).eventId();
                await().atMost(PATIENCE)
                        .until(() -> log.text().contains("1 events were moved to the dead letter queue: " + id));
            }
        }
    }

    @Test
    void aRowThatNobodyCanReadMovesToo() throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            try (Connection conn = pool.getConnection()) {
                JdbcTemplate.update(
                        conn,
                        "INSERT INTO outbox_event (event_id, event_type, payload, headers, status, attempts, available_at,"
                                + " created_at) VALUES ('damaged', 'T', '{}', 'no json', 0, 0, ?, ?)",
                        Instant.parse("2025-01-01T00:00:00Z"),
                        Instant.parse("2025-01-01T00:00:00Z"));
            }
            try (Outbox outbox = outbox(jdbc, batches::add).build()) {
                await().atMost(PATIENCE).until(() -> !batches.isEmpty());
                assertThat(batches.peek()).extracting(OutboxEvent::eventId).containsExactly("damaged");
                assertThat(outbox.deadLetters()
                                .orElseThrow()
                                .find("damaged")
                                .orElseThrow()
                                .event()
                                .headersJson())
                        .isEqualTo("no json");
            }
        }
    }

    @Test
    void onScheduleEventsStayUntilTheyAreMoved() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6)) {
            JdbcOutbox plain = JdbcOutbox.of(pool);
            JdbcOutbox jdbc = plain.withDeadLetters(
                            DeadLetterStore.of(plain.store()).movingOnSchedule())
                    .createSchema();
            try (Outbox outbox = outbox(jdbc, batches::add).build()) {
                write(jdbc, outbox, 2);
                await().atMost(PATIENCE)
                        .until(() -> OutboxRows.where(pool, "status = 3").size() == 2);
                assertThat(batches).isEmpty();

                outbox.deadLetters().orElseThrow().moveDead();

                await().atMost(PATIENCE).until(() -> batches.size() == 1);
                assertThat(batches.peek()).hasSize(2);
                assertThat(OutboxRows.all(pool)).isEmpty();
            }
        }
    }

    /** Lets that many moves fail. */
    private static DataSource failingMoves(DataSource dataSource, AtomicInteger toFail) {
        return Intercepted.dataSource(dataSource, call -> {
            if (call.executes("INSERT INTO outbox_dlq_event ") && toFail.getAndDecrement() > 0) {
                throw new SQLException("cut", "08006");
            }
            return call.proceed();
        });
    }

    @Test
    void movesAreCountedWheneverTheyAreTriedAndTimedWhenTheySucceed() {
        CountingMetrics metrics = new CountingMetrics();
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(failingMoves(pool, new AtomicInteger(2)))
                    .withDeadLetters()
                    .createSchema();
            try (Outbox outbox = outbox(jdbc, batches::add).metrics(metrics).build()) {
                write(jdbc, outbox, 1);
                await().atMost(PATIENCE).until(() -> !batches.isEmpty());

                assertThat(metrics.movesTried).hasValue(3);
                assertThat(metrics.moved).hasValue(1);
                assertThat(metrics.movesTimed).hasValue(1);
            }
        }
    }

    @Test
    void scheduledMovesAreCountedWheneverTheyAreTried() {
        CountingMetrics metrics = new CountingMetrics();
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 6)) {
            JdbcOutbox plain = JdbcOutbox.of(failingMoves(pool, new AtomicInteger(1)));
            JdbcOutbox jdbc = plain.withDeadLetters(
                            DeadLetterStore.of(plain.store()).movingOnSchedule())
                    .createSchema();
            try (Outbox outbox = outbox(jdbc, batches::add).metrics(metrics).build()) {
                write(jdbc, outbox, 2);
                await().atMost(PATIENCE)
                        .until(() -> OutboxRows.where(pool, "status = 3").size() == 2);

                for (int run = 0; run < 3; run++) { // the first fails, and the last finds nothing
                    outbox.deadLetters().orElseThrow().moveDead();
                }

                assertThat(metrics.movesTried).hasValue(4);
                assertThat(metrics.moved).hasValue(2);
                assertThat(metrics.movesTimed).hasValue(1);
            }
        }
    }

    @Test
    void aPolicyNeedsAStoreWithDeadLetters() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            assertThatThrownBy(() -> outbox(jdbc, batches::add).build())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("withDeadLetters()");
        }
    }
}
