package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.CompletionListener;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.store.StoreBackend;
import io.outbox.support.CountedConnections;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Refusal;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How outcomes gather into writes. */
@ExtendWith(NoLeftoverThreads.class)
class CompletionWriterTest {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<Write> writes = Collections.synchronizedList(new ArrayList<>());
    private final FiveMethodStore store = new FiveMethodStore() {
        @Override
        public synchronized int markDone(Connection conn, String eventId) {
            writes.get(writes.size() - 1).outcomes++;
            if (eventId.startsWith("poison")) {
                throw new Refusal("this store does not take it");
            }
            return super.markDone(conn, eventId);
        }

        @Override
        public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
            if (error.contains("→")) {
                throw new Refusal("this database does not know that character");
            }
            return super.markRetry(conn, eventId, nextAt, error);
        }
    };
    private volatile CountDownLatch silence = new CountDownLatch(0);
    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
    private final CompletionWriter writer = writer(MetricsExporter.NOOP);

    private CompletionWriter writer(MetricsExporter exporter, CompletionListener... listeners) {
        return new CompletionWriter(
                StoreBackend.forDelivery(this::connect, store),
                owned,
                new EngineMetrics(exporter),
                new CompletionWriter.Told(List.of(listeners), null),
                new AlarmLine());
    }

    /** A write, which takes one connection. */
    private static final class Write {
        private final long startNanos = System.nanoTime();
        private int outcomes;
    }

    private Connection connect() throws SQLException {
        writes.add(new Write());
        LockSupport.parkNanos(COMMIT_NANOS);
        while (silence.getCount() > 0) {
            Thread.onSpinWait(); // as a driver does not hear interrupts
        }
        return new CountedConnections().getConnection();
    }

    @AfterEach
    void close() {
        writer.close(Duration.ofSeconds(1));
    }

    @Test
    void underLoadWritesKeepADistanceSoThatOutcomesShareThem() {
        writer.start();

        for (int i = 0; i < 2_000; i++) {
            submit("event-" + i);
            if (i % 10 == 0) {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
            }
        }
        awaitAllDurable();

        assertThat(store.count(EventStatus.DONE)).isEqualTo(2_000);
        assertThat(medianNanosBetweenWrites()).isGreaterThanOrEqualTo(PAUSE_NANOS);
    }

    @Test
    void outcomesThatComeOneByOneShareWritesToo() {
        writer.start();

        for (int i = 0; i < 200; i++) {
            submit("event-" + i);
            LockSupport.parkNanos(COMMIT_NANOS);
        }
        awaitAllDurable();

        assertThat(store.count(EventStatus.DONE)).isEqualTo(200);
        assertThat(medianNanosBetweenWrites()).isGreaterThanOrEqualTo(PAUSE_NANOS);
    }

    @Test
    void itIsCalledMoreOftenThanAnIntegerCounts() {
        for (long calls = 0; calls <= Integer.MAX_VALUE; calls++) {
            writer.storeAnswers();
        }
        writer.start();

        submit("event-1");
        awaitAllDurable();

        assertThat(store.count(EventStatus.DONE)).isEqualTo(1);
    }

    /** A store that cannot release locks lets claims and outcomes take turns. */
    @Test
    void noClaimWaitsForACompletionListener() {
        Gate gate = new Gate();
        CompletionWriter telling = writer(MetricsExporter.NOOP, new CompletionListener() {
            @Override
            public void onDone(EventEnvelope event) {
                gate.pass();
            }
        });
        try {
            telling.start();
            submitTo(telling, "event-1");
            gate.awaitReached();

            assertThat(owned.size())
                    .as("holds, which end before listeners are told")
                    .isZero();
            assertThat(shortestClaimMillis(telling)).isLessThan(450); // the patience is 500
        } finally {
            gate.open();
            telling.close(Duration.ofSeconds(5));
        }
    }

    private static long shortestClaimMillis(CompletionWriter telling) {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            telling.claimBegins();
            shortest = Math.min(shortest, System.nanoTime() - start);
            telling.claimEnds();
        }
        return TimeUnit.NANOSECONDS.toMillis(shortest);
    }

    private long medianNanosBetweenWrites() {
        List<Long> distances = new ArrayList<>();
        for (int i = 1; i < writes.size(); i++) {
            distances.add(writes.get(i).startNanos - writes.get(i - 1).startNanos);
        }
        Collections.sort(distances);
        assertThat(distances).hasSizeGreaterThan(3);
        return distances.get(distances.size() / 2);
    }

    @Test
    void aLoneOutcomeIsWrittenAtOnce() {
        int events = 100;
        List<Long> waits = new ArrayList<>();
        writer.start();

        for (int i = 0; i < events; i++) {
            long start = System.nanoTime();
            submit("event-" + i);
            while (owned.size() > 0) {
                Thread.onSpinWait();
            }
            waits.add(System.nanoTime() - start);
            LockSupport.parkNanos(2 * PAUSE_NANOS);
        }

        assertThat(writes).hasSize(events);
        Collections.sort(waits);
        assertThat(waits.get(events / 10)).as("on a busy machine too").isLessThan(PAUSE_NANOS);
    }

    @Test
    void whatIsWaitingOnCloseIsWritten() {
        for (int i = 0; i < 1_000; i++) {
            submit("event-" + i);
        }
        writer.start();

        writer.close(Duration.ofSeconds(5));

        assertThat(owned.size()).isZero();
        assertThat(store.count(EventStatus.DONE)).isEqualTo(1_000);
    }

    @Test
    void anOutcomeThatComesAfterTheEndIsWritten() {
        writer.start();
        writer.close(Duration.ofSeconds(1));

        submit("late");

        assertThat(store.status("late")).isEqualTo(EventStatus.DONE);
        assertThat(owned.size()).isZero();
    }

    @Test
    void aStoreThatDoesNotAnswerKeepsNobodyFromClosing() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        silence = answer;
        writer.start();
        submit("unanswered");
        await().until(() -> !writes.isEmpty());

        writer.close(Duration.ZERO);
        submit("late");

        assertThat(owned.size()).isEqualTo(2);
        answer.countDown();
        await().until(() -> owned.size() <= 1);
    }

    @Test
    void anExporterThatFailsDoesNotStopTheWriter() {
        MetricsExporter failing = (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    throw new OutOfMemoryError("of the exporter");
                });
        CompletionWriter measured = writer(failing);
        measured.start();

        submitTo(measured, "one");
        submitTo(measured, "two");

        awaitAllDurable();
        assertThat(store.count(EventStatus.DONE)).isEqualTo(2);
        measured.close(Duration.ofSeconds(1));
    }

    @Test
    void outcomesThatTheStoreNeverTakesHoldUpNoOther() {
        for (String id : List.of("poison-1", "poison-2", "good-1", "poison-3", "good-2")) {
            submit(id);
        }

        writer.start();

        await().until(() -> store.count(EventStatus.DONE) == 2);
        assertThat(List.of("good-1", "good-2")).allMatch(id -> store.status(id) == EventStatus.DONE);
        assertThat(List.of("poison-1", "poison-2", "poison-3")).allMatch(owned::isHeld);
    }

    @Test
    void anErrorThatTheDatabaseCannotStoreIsStoredInPlainText() {
        Outcome failed = new Outcome.Failed("unsaid", Instant.now(), 0, 9, "a → b");
        store.insertNew(null, Events.event("unsaid"));
        writer.submit(completion("unsaid", failed));

        writer.start();

        awaitAllDurable();
        assertThat(store.status("unsaid")).isEqualTo(EventStatus.RETRY);
        assertThat(store.row("unsaid").error()).isEqualTo("a ? b");
    }

    private void submit(String eventId) {
        submitTo(writer, eventId);
    }

    private void submitTo(CompletionWriter writer, String eventId) {
        store.insertNew(null, Events.event(eventId));
        writer.submit(completion(eventId, new Outcome.Done(eventId, Instant.now())));
    }

    private Completion completion(String eventId, Outcome outcome) {
        HeldEvent event = new HeldEvent(new QueuedEvent(Events.event(eventId), Source.HOT, 0), owned.acquire(eventId));
        Outcome instead = new Outcome.Failed(eventId, Instant.now(), 0, 9, "not taken");
        return Completion.of(event, outcome, new Completion.Failure(null, 0, () -> instead));
    }

    private void awaitAllDurable() {
        await().atMost(Duration.ofSeconds(10)).until(() -> owned.size() == 0);
    }
}
