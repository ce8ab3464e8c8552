package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Race;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The dispatcher on a store that has only the five methods. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxDispatcherTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");

    private final FiveMethodStore store = new FiveMethodStore();
    private final CountedConnections connections = new CountedConnections();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private OutboxDispatcher dispatcher;

    @AfterEach
    void close() {
        if (dispatcher != null) {
            dispatcher.close();
        }
        assertThat(connections.open()).as("open connections").isZero();
    }

    private OutboxDispatcher.Builder builder() {
        return OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(registry)
                .metrics(metrics)
                .clock(Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private void listen(EventListener listener) {
        registry.register(Events.TYPE, event -> {
            delivered.add(event.eventId());
            return listener.onEvent(event);
        });
    }

    private QueuedEvent stored(String id, Source source, int attempts) {
        EventEnvelope event = Events.event(id);
        store.insertNew(null, event);
        return new QueuedEvent(event, source, attempts);
    }

    private void awaitStatus(String id, EventStatus status) {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(() -> assertThat(store.status(id)).isEqualTo(status));
    }

    private void awaitMetric(String name, long value) {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(() -> assertThat(metrics.get(name)).as(name).isEqualTo(value));
    }

    @Test
    void deliversHotAndColdEventsOnceAndMarksThemDone() {
        listen(event -> DispatchResult.done());
        dispatcher = builder().build();

        assertThat(dispatcher.enqueueHot(stored("hot", Source.HOT, 0))).isTrue();
        assertThat(dispatcher.enqueueCold(stored("cold", Source.COLD, 0))).isTrue();

        awaitStatus("hot", EventStatus.DONE);
        awaitStatus("cold", EventStatus.DONE);
        awaitMetric("success", 2);
        assertThat(delivered).containsExactlyInAnyOrder("hot", "cold");
        assertThat(metrics.get("hotEnqueued") + metrics.get("coldEnqueued"))
                .as("counted by whoever enqueues")
                .isZero();
    }

    @Test
    void schedulesARetryByThePolicyAndCountsTheAttempt() {
        List<Integer> asked = new ArrayList<>();
        listen(event -> {
            throw new IOException("broker down");
        });
        dispatcher = builder()
                .retryPolicy(attempts -> {
                    asked.add(attempts);
                    return 700L * attempts;
                })
                .build();

        dispatcher.enqueueCold(stored("e", Source.COLD, 2));

        awaitStatus("e", EventStatus.RETRY);
        assertThat(asked).containsExactly(3);
        assertThat(store.row("e").availableAt()).isEqualTo(NOW.plusMillis(2100));
        assertThat(store.row("e").error()).contains("IOException", "broker down");
        assertThat(store.attempts("e")).isEqualTo(1);
        awaitMetric("failure", 1);
    }

    @Test
    void usesTheDelayOfARetryAfterExceptionAndCountsTheAttempt() {
        listen(event -> {
            throw new RetryAfterException(Duration.ofSeconds(90));
        });
        dispatcher = builder().build();

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));

        awaitStatus("e", EventStatus.RETRY);
        assertThat(store.row("e").availableAt()).isEqualTo(NOW.plusSeconds(90));
        assertThat(store.attempts("e")).isEqualTo(1);
    }

    @Test
    void goesDeadWhenTheAttemptsAreUsedUpWhateverTheDelay() {
        listen(event -> {
            throw new RetryAfterException(Duration.ofSeconds(90), "still busy");
        });
        dispatcher = builder().maxAttempts(3).build();

        dispatcher.enqueueCold(stored("second", Source.COLD, 1));
        dispatcher.enqueueCold(stored("third", Source.COLD, 2));

        awaitStatus("second", EventStatus.RETRY);
        awaitStatus("third", EventStatus.DEAD);
        assertThat(store.row("third").error()).contains("still busy");
        awaitMetric("dead", 1);
        awaitMetric("failure", 1);
    }

    @Test
    void defersThroughMarkRetryOnAStoreThatCannotDefer() {
        listen(event -> DispatchResult.retryAfter(Duration.ofMinutes(2)));
        dispatcher = builder().maxAttempts(1).build();

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));

        awaitStatus("e", EventStatus.RETRY);
        assertThat(store.row("e").availableAt()).isEqualTo(NOW.plusSeconds(120));
        awaitMetric("deferred", 1);
        assertThat(metrics.get("failure")).isZero();
    }

    @Test
    void declaresDeadWhatTheListenerCallsDead() {
        listen(event -> DispatchResult.dead("rejected"));
        dispatcher = builder().build();

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));

        awaitStatus("e", EventStatus.DEAD);
        assertThat(store.row("e").error()).isEqualTo("rejected");
    }

    @Test
    void declaresUnrecoverableFailuresDeadWithoutCountingAnAttempt() {
        listen(event -> {
            throw new UnrecoverableException("bad");
        });
        dispatcher = builder().build();

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));

        awaitStatus("e", EventStatus.DEAD);
        assertThat(store.attempts("e")).isZero();
        awaitMetric("dead", 1);
    }

    @Test
    void declaresUnroutableEventsDead() {
        dispatcher = builder().build();

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));

        awaitStatus("e", EventStatus.DEAD);
        assertThat(store.row("e").error()).contains(Events.TYPE);
    }

    @Test
    void countsAnErrorAsAFailedAttemptAndCarriesOn() {
        listen(event -> {
            throw new StackOverflowError();
        });
        dispatcher = builder().workerCount(1).build();

        for (int i = 0; i < 5; i++) {
            dispatcher.enqueueHot(stored("e" + i, Source.HOT, 0));
        }

        for (int i = 0; i < 5; i++) {
            awaitStatus("e" + i, EventStatus.RETRY);
        }
    }

    @Test
    void survivesAListenerThatInterruptsItsThread() {
        listen(event -> {
            Thread.currentThread().interrupt();
            return DispatchResult.done();
        });
        dispatcher = builder().workerCount(1).build();

        for (int i = 0; i < 5; i++) {
            dispatcher.enqueueHot(stored("e" + i, Source.HOT, 0));
        }

        awaitMetric("success", 5);
    }

    @Test
    void dropsAnEventThatIsInFlight() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        listen(event -> {
            entered.countDown();
            leave.await();
            return DispatchResult.done();
        });
        dispatcher = builder().build();
        QueuedEvent event = stored("e", Source.HOT, 0);

        dispatcher.enqueueHot(event);
        assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(dispatcher.enqueueHot(event)).isTrue();
        assertThat(dispatcher.enqueueCold(event)).isTrue();
        leave.countDown();

        awaitMetric("success", 1);
        dispatcher.close();
        assertThat(delivered).containsExactly("e");
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void deliversOnceWhatManyThreadsEnqueueAtOnce() throws Exception {
        listen(event -> DispatchResult.done());
        dispatcher = builder().startManually().build();
        try (Race race = new Race(8)) {
            for (int round = 0; round < 50; round++) {
                QueuedEvent hot = stored("e" + round, Source.HOT, 0);
                QueuedEvent cold = new QueuedEvent(hot.envelope(), Source.COLD, 0);
                AtomicInteger turn = new AtomicInteger();
                race.times(
                        8,
                        () -> turn.getAndIncrement() % 2 == 0
                                ? dispatcher.enqueueHot(hot)
                                : dispatcher.enqueueCold(cold));
            }
        }

        assertThat(dispatcher.engine().deliverQueued()).isEqualTo(50);
        assertThat(delivered).hasSize(50).doesNotHaveDuplicates();
    }

    @Test
    void refusesEventsWhenAQueueIsFullAndTakesThemLater() {
        listen(event -> DispatchResult.done());
        dispatcher = builder()
                .hotQueueCapacity(1)
                .coldQueueCapacity(2)
                .startManually()
                .build();

        QueuedEvent refused = stored("h2", Source.HOT, 0);
        assertThat(dispatcher.enqueueHot(stored("h1", Source.HOT, 0))).isTrue();
        assertThat(dispatcher.enqueueHot(refused)).isFalse();
        assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(2);
        assertThat(dispatcher.enqueueCold(stored("c1", Source.COLD, 0))).isTrue();
        assertThat(dispatcher.enqueueCold(stored("c2", Source.COLD, 0))).isTrue();
        assertThat(dispatcher.coldQueueRemainingCapacity()).isZero();
        assertThat(dispatcher.enqueueCold(stored("c3", Source.COLD, 0))).isFalse();

        assertThat(dispatcher.engine().deliverQueued()).isEqualTo(3);
        assertThat(dispatcher.enqueueHot(refused)).isTrue();
        assertThat(dispatcher.engine().deliverQueued()).isEqualTo(1);
        assertThat(delivered).containsExactlyInAnyOrder("h1", "c1", "c2", "h2");
    }

    @Test
    void runsAsManyListenersAtOnceAsItHasWorkers() {
        CyclicBarrier allTogether = new CyclicBarrier(3);
        listen(event -> {
            allTogether.await(10, TimeUnit.SECONDS);
            return DispatchResult.done();
        });
        dispatcher = builder().workerCount(3).build();

        for (int i = 0; i < 6; i++) {
            dispatcher.enqueueHot(stored("e" + i, Source.HOT, 0));
        }

        awaitMetric("success", 6);
    }

    @Test
    void givesABatchListenerWhatIsQueued() {
        List<Integer> sizes = new ArrayList<>();
        BatchEventListener batching = events -> {
            sizes.add(events.size());
            List<BatchOutcome> outcomes = new ArrayList<>();
            events.forEach(event -> outcomes.add(BatchOutcome.done()));
            return outcomes;
        };
        registry.register(Events.TYPE, batching);
        dispatcher = builder().startManually().build();
        for (int i = 0; i < 130; i++) {
            dispatcher.enqueueCold(stored("e" + i, Source.COLD, 0));
        }

        assertThat(dispatcher.engine().deliverQueued()).isEqualTo(130);

        assertThat(sizes).containsExactly(100, 30);
        assertThat(store.count(EventStatus.DONE)).isEqualTo(130);
    }

    @Test
    void runsInterceptorsAroundTheListener() {
        listen(event -> DispatchResult.done());
        dispatcher = builder()
                .interceptor(EventInterceptor.before(event -> delivered.add("before 1")))
                .interceptors(List.of(
                        EventInterceptor.before(event -> delivered.add("before 2")),
                        EventInterceptor.after((event, error) -> delivered.add("after " + error))))
                .startManually()
                .build();

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));
        dispatcher.engine().deliverQueued();

        assertThat(delivered).containsExactly("before 1", "before 2", "e", "after null");
    }

    @Test
    void keepsOutcomesThroughAnOutageOfTheStore() {
        listen(event -> DispatchResult.done());
        dispatcher = builder().build();
        store.failMarks(3);

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));

        awaitStatus("e", EventStatus.DONE);
        awaitMetric("success", 1);
        assertThat(delivered).containsExactly("e");
    }

    @Test
    void repeatsABatchOfOutcomesAsAWholeSoThatNoAttemptCountsTwice() {
        BatchEventListener half = events -> List.of(BatchOutcome.failed(new IOException("x")), BatchOutcome.done());
        registry.register(Events.TYPE, half);
        dispatcher = builder().startManually().build();
        dispatcher.enqueueHot(stored("failed", Source.HOT, 0));
        dispatcher.enqueueHot(stored("done", Source.HOT, 0));
        store.failMarks(1);

        dispatcher.engine().deliverQueued();

        assertThat(store.status("failed")).isEqualTo(EventStatus.RETRY);
        assertThat(store.attempts("failed")).isEqualTo(1);
        assertThat(store.status("done")).isEqualTo(EventStatus.DONE);
        assertThat(connections.rollbacks()).isEqualTo(1);
        assertThat(connections.commits()).isEqualTo(1);
    }

    @Test
    void countsNothingBeforeItIsDurable() throws Exception {
        CountDownLatch listened = new CountDownLatch(1);
        listen(event -> {
            listened.countDown();
            return DispatchResult.done();
        });
        dispatcher = builder().drainTimeoutMs(0).build();
        store.failMarks(Integer.MAX_VALUE);

        dispatcher.enqueueHot(stored("e", Source.HOT, 0));
        assertThat(listened.await(10, TimeUnit.SECONDS)).isTrue();
        dispatcher.close();

        assertThat(metrics.get("success")).isZero();
        assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void countsALateOutcomeOfAFinishedEventAsFenced() {
        listen(event -> DispatchResult.done());
        dispatcher = builder().build();
        QueuedEvent event = stored("e", Source.HOT, 0);
        store.markDead(null, "e", "by an operator");

        dispatcher.enqueueHot(event);

        awaitMetric("fenced", 1);
        assertThat(store.status("e")).isEqualTo(EventStatus.DEAD);
        assertThat(metrics.get("success")).isZero();
    }

    // Shutdown

    @Test
    void deliversWhatIsQueuedBeforeItCloses() {
        listen(event -> DispatchResult.done());
        dispatcher = builder().workerCount(2).build();
        for (int i = 0; i < 500; i++) {
            dispatcher.enqueueHot(stored("e" + i, Source.HOT, 0));
        }

        dispatcher.close();

        assertThat(store.count(EventStatus.DONE)).isEqualTo(500);
        assertThat(delivered).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void leavesToTheStoreWhatItCannotDeliverInTime() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        listen(event -> {
            entered.countDown();
            new CountDownLatch(1).await();
            return DispatchResult.done();
        });
        dispatcher = builder().workerCount(1).drainTimeoutMs(50).build();
        for (int i = 0; i < 10; i++) {
            dispatcher.enqueueHot(stored("e" + i, Source.HOT, 0));
        }
        assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();

        dispatcher.close();

        assertThat(delivered).hasSize(1);
        assertThat(store.count(EventStatus.NEW)).isEqualTo(10);
        assertThat(metrics.get("failure")).isZero();
    }

    @Test
    void refusesEventsAfterClose() {
        listen(event -> DispatchResult.done());
        dispatcher = builder().build();
        dispatcher.close();

        assertThat(dispatcher.enqueueHot(stored("h", Source.HOT, 0))).isFalse();
        assertThat(dispatcher.enqueueCold(stored("c", Source.COLD, 0))).isFalse();
        assertThat(delivered).isEmpty();
    }

    @Test
    void closesTwiceAndWithoutAStart() {
        dispatcher = builder().startManually().build();

        dispatcher.close();
        dispatcher.close();

        assertThatIllegalStateException().isThrownBy(dispatcher::start).withMessageContaining("closed");
    }

    @Test
    void startsLaterIfTold() {
        listen(event -> DispatchResult.done());
        dispatcher = builder().startManually().build();
        dispatcher.enqueueHot(stored("e", Source.HOT, 0));
        assertThat(delivered).isEmpty();

        dispatcher.start();
        dispatcher.start();

        awaitMetric("success", 1);
    }
}
