package io.outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RetryAfterException;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.FiveMethodStore.Poll;
import io.outbox.support.NoLeftoverThreads;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The poller on a store that has only the five methods. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxPollerTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");
    private static final Duration LONG = Duration.ofHours(1);

    private final FiveMethodStore store = new FiveMethodStore();
    private final CountedConnections connections = new CountedConnections();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> closeables = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : closeables) {
            closeable.close();
        }
        assertThat(connections.open()).as("open connections").isZero();
    }

    private OutboxPoller.Builder builder(OutboxPollerHandler handler) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(handler)
                .metrics(metrics)
                .intervalMs(LONG.toMillis());
    }

    private OutboxPoller build(OutboxPoller.Builder builder) {
        OutboxPoller poller = builder.build();
        closeables.add(0, poller);
        return poller;
    }

    private OutboxPoller fixed(OutboxPollerHandler handler) {
        return build(builder(handler).clock(Clock.fixed(NOW, ZoneOffset.UTC)));
    }

    private OutboxDispatcher dispatcher(int coldQueueCapacity, EventListener listener) {
        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(Events.TYPE, listener))
                .retryPolicy(attempts -> 50)
                .coldQueueCapacity(coldQueueCapacity)
                .metrics(metrics)
                .build();
        closeables.add(dispatcher);
        return dispatcher;
    }

    private boolean record(EventEnvelope event, int attempts) {
        return handled.add(event.eventId());
    }

    private void insert(int count) {
        for (int i = 0; i < count; i++) {
            store.insertNew(
                    null,
                    Events.eventAt(
                            String.format("e%04d", i), NOW.minusSeconds(100).plusMillis(i)));
        }
    }

    private static void awaitUntil(org.awaitility.core.ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(assertion);
    }

    @Test
    void handsOverDueEventsOldestFirstWithTheirAttempts() {
        List<Integer> attempts = new ArrayList<>();
        store.insertNew(null, Events.eventAt("young", NOW));
        store.insertNew(null, Events.eventAt("old", NOW.minusSeconds(9)));
        store.insertNew(null, Events.eventAt("future", NOW.plusMillis(1)));
        store.markRetry(null, "young", NOW, "x");
        OutboxPoller poller = fixed((event, count) -> {
            attempts.add(count);
            return record(event, count);
        });

        poller.poll();

        assertThat(handled).containsExactly("old", "young");
        assertThat(attempts).containsExactly(0, 1);
    }

    @Test
    void skipsTheCycleWhenTheHandlerHasNoRoom() {
        insert(3);
        OutboxPoller poller = build(builder(withRoomFor(0)).metrics(MetricsExporter.NOOP));

        poller.poll();

        assertThat(store.polls()).isEmpty();
        assertThat(connections.opened()).isZero();
        assertThat(handled).isEmpty();
    }

    @Test
    void recordsTheAgeOfTheOldestDueEventThoughTheHandlerHasNoRoom() {
        store.insertNew(null, Events.eventAt("1", NOW.minusMillis(1500)));

        fixed(withRoomFor(0)).poll();

        assertThat(handled).isEmpty();
        assertThat(metrics.get("oldestLagMs")).isEqualTo(1500);
    }

    private OutboxPollerHandler withRoomFor(int events) {
        return new OutboxPollerHandler() {
            @Override
            public boolean handle(EventEnvelope event, int attempts) {
                return record(event, attempts);
            }

            @Override
            public int availableCapacity() {
                return events;
            }
        };
    }

    @Test
    void stopsTheCycleWhenTheHandlerRefusesAnEvent() {
        insert(10);
        OutboxPoller poller = build(builder((event, attempts) -> record(event, attempts) && handled.size() < 3)
                .metrics(MetricsExporter.NOOP));

        poller.poll();

        assertThat(handled).containsExactly("e0000", "e0001", "e0002");
        assertThat(store.polls()).hasSize(1);
    }

    @Test
    void asksForItsBatchSizeAndLeavesRecentEventsAlone() {
        store.insertNew(null, Events.eventAt("recent", NOW.minusMillis(999)));
        store.insertNew(null, Events.eventAt("older", NOW.minusMillis(1000)));
        OutboxPoller poller = build(builder(this::record)
                .metrics(MetricsExporter.NOOP)
                .batchSize(7)
                .skipRecent(Duration.ofSeconds(1))
                .clock(Clock.fixed(NOW, ZoneOffset.UTC)));

        poller.poll();

        assertThat(store.polls()).containsExactly(new Poll(NOW, Duration.ofSeconds(1), 7));
        assertThat(handled).containsExactly("older");
    }

    @Test
    void hasTheDocumentedDefaults() {
        build(builder(this::record).metrics(MetricsExporter.NOOP).clock(Clock.fixed(NOW, ZoneOffset.UTC)))
                .poll();

        assertThat(store.polls()).containsExactly(new Poll(NOW, Duration.ZERO, 50));
        assertThat(OutboxPoller.DEFAULT_INTERVAL_MS).isEqualTo(5000);
    }

    @Test
    void readsNoMoreThanTheHandlerHasRoomFor() {
        insert(10);
        OutboxPoller poller = build(builder(withRoomFor(4)).metrics(MetricsExporter.NOOP));

        poller.poll();

        assertThat(store.polls()).extracting(Poll::limit).containsExactly(4);
        assertThat(handled).hasSize(4);
    }

    @Test
    void buriesWhatCannotBeDecodedAndDeliversTheRest() {
        store.insertNew(null, Events.eventAt("1", NOW.minusSeconds(3)));
        store.put(new OutboxEvent(
                "2",
                Events.TYPE,
                "__GLOBAL__",
                null,
                null,
                "{}",
                "{\"token\":Bearer-4711",
                0,
                NOW.minusSeconds(2),
                NOW.minusSeconds(2)));
        store.insertNew(null, Events.eventAt("3", NOW.minusSeconds(1)));

        fixed(this::record).poll();

        assertThat(handled).containsExactly("1", "3");
        assertThat(store.status("2")).isEqualTo(EventStatus.DEAD);
        assertThat(store.row("2").error()).contains("headers").doesNotContain("Bearer-4711");
        assertThat(metrics.get("dead")).isEqualTo(1);
    }

    @Test
    void deliversARetryThatWasDueBeforeItWasCreated() {
        store.insertNew(null, Events.eventAt("skewed", NOW));
        store.markRetry(null, "skewed", NOW.minusSeconds(30), "x");

        fixed(this::record).poll();

        assertThat(handled).containsExactly("skewed");
    }

    @Test
    void recordsTheAgeOfTheOldestDueEvent() {
        fixed(this::record).poll();
        assertThat(metrics.get("oldestLagMs")).isZero();

        store.insertNew(null, Events.eventAt("1", NOW.minusMillis(1500)));
        fixed(this::record).poll();

        assertThat(metrics.get("oldestLagMs")).isEqualTo(1500);
    }

    @Test
    void survivesFailuresOfStoreAndConnections() {
        insert(1);
        OutboxPoller poller = fixed(this::record);

        store.failPolls(1);
        poller.poll();
        connections.failWith(new SQLException("down"));
        poller.poll();
        connections.failWith(null);
        assertThat(handled).isEmpty();
        poller.poll();

        assertThat(handled).containsExactly("e0000");
    }

    @Test
    void pollsAgainAfterAFailure() {
        insert(1);
        store.failPolls(3);
        OutboxPoller poller = build(builder(this::record).intervalMs(10));

        poller.start();

        awaitUntil(() -> assertThat(handled).contains("e0000"));
    }

    @Test
    void drainsABacklogForAHandlerThatDeliversByItself() {
        insert(230);
        OutboxPoller poller = build(builder((event, attempts) -> {
                    store.markDone(null, event.eventId());
                    return record(event, attempts);
                })
                .batchSize(10));

        poller.start();

        awaitUntil(() -> assertThat(handled).hasSize(230).doesNotHaveDuplicates());
    }

    @Test
    void drainsABacklogThroughTheDispatcherWithoutWaitingForTheInterval() {
        insert(2000);
        OutboxDispatcher dispatcher = dispatcher(100, event -> {
            handled.add(event.eventId());
            return DispatchResult.done();
        });
        OutboxPoller poller =
                build(builder(new DispatcherPollerHandler(dispatcher)).batchSize(20));

        poller.start();

        awaitUntil(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(2000));
        assertThat(handled).hasSize(2000).doesNotHaveDuplicates();
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void countsWhatItHandsToADispatcherOnceWithItsOwnMetrics() {
        insert(30);
        CountingMetrics own = new CountingMetrics();
        OutboxDispatcher dispatcher = dispatcher(100, event -> DispatchResult.done());
        OutboxPoller poller =
                build(builder(new DispatcherPollerHandler(dispatcher)).metrics(own));

        poller.start();

        awaitUntil(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(30));
        awaitUntil(() -> assertThat(own.get("coldEnqueued")).isEqualTo(30));
        awaitUntil(() -> assertThat(metrics.get("success")).isEqualTo(30));
        assertThat(metrics.get("coldEnqueued")).isZero();
    }

    @Test
    void drainsBehindARetryThatIsAmongTheOldestEvents() throws Exception {
        insert(400);
        store.markRetry(null, "e0000", NOW, "x");
        CountDownLatch go = new CountDownLatch(1);
        OutboxDispatcher dispatcher = dispatcher(1000, event -> {
            go.await();
            return DispatchResult.done();
        });
        OutboxPoller poller =
                build(builder(new DispatcherPollerHandler(dispatcher)).batchSize(20));

        poller.start();

        try {
            awaitUntil(() -> assertThat(metrics.get("coldEnqueued")).isEqualTo(400));
        } finally {
            go.countDown();
        }
    }

    @Test
    void doesNotReadTheSameEventsOverAndOver() {
        insert(10);
        OutboxPoller poller =
                build(builder(this::record).metrics(MetricsExporter.NOOP).batchSize(5));

        poller.start();

        awaitUntil(() -> assertThat(handled.size()).isGreaterThanOrEqualTo(5));
        poller.close();
        assertThat(store.polls().size()).isLessThanOrEqualTo(3);
    }

    @Test
    void deliversOnceThoughItPollsAllTheTime() {
        insert(300);
        OutboxDispatcher dispatcher = dispatcher(1000, event -> {
            handled.add(event.eventId());
            await().pollDelay(Duration.ofMillis(2)).until(() -> true);
            return DispatchResult.done();
        });
        OutboxPoller poller = build(
                builder(new DispatcherPollerHandler(dispatcher)).intervalMs(1).batchSize(50));

        poller.start();

        awaitUntil(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(300));
        assertThat(handled).hasSize(300).doesNotHaveDuplicates();
    }

    @Test
    void wakesWhenARetryIsDue() {
        insert(1);
        AtomicInteger attempts = new AtomicInteger();
        OutboxDispatcher dispatcher = dispatcher(100, event -> {
            if (attempts.incrementAndGet() < 4) {
                throw new IOException("not yet");
            }
            return DispatchResult.done();
        });
        OutboxPoller poller = build(builder(new DispatcherPollerHandler(dispatcher)));

        poller.start();

        awaitUntil(() -> assertThat(store.status("e0000")).isEqualTo(EventStatus.DONE));
        assertThat(attempts).hasValue(4);
        assertThat(store.attempts("e0000")).isEqualTo(3);
    }

    @Test
    void wakesForEveryRetryThatWasAnnouncedNotOnlyForTheFirst() {
        insert(4);
        OutboxDispatcher dispatcher = dispatcher(100, event -> {
            if (store.attempts(event.eventId()) == 0) {
                int number = event.eventId().charAt(4) - '0';
                throw new RetryAfterException(Duration.ofMillis(50 + 100L * number));
            }
            return DispatchResult.done();
        });
        OutboxPoller poller = build(builder(new DispatcherPollerHandler(dispatcher)));

        poller.start();

        awaitUntil(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(4));
    }

    @Test
    void wakesWhenADeferredEventIsDue() {
        insert(1);
        AtomicInteger calls = new AtomicInteger();
        OutboxDispatcher dispatcher = dispatcher(
                100,
                event -> calls.incrementAndGet() < 3
                        ? DispatchResult.retryAfter(Duration.ofMillis(20))
                        : DispatchResult.done());
        OutboxPoller poller = build(builder(new DispatcherPollerHandler(dispatcher)));

        poller.start();

        awaitUntil(() -> assertThat(store.status("e0000")).isEqualTo(EventStatus.DONE));
        assertThat(calls).hasValue(3);
    }

    @Test
    void pollsPlainlyWhenTheStoreCannotClaim() {
        insert(3);
        OutboxPoller poller = build(builder(this::record)
                .metrics(MetricsExporter.NOOP)
                .claimLocking("node-1", Duration.ofMinutes(5))
                .batchSize(2));

        poller.poll();

        assertThat(handled).containsExactly("e0000", "e0001");
        assertThat(store.polls()).hasSize(1);
    }

    @Test
    void sleepsBetweenRunsThoughAStoreThatCannotClaimReturnsTheSameEventsAgain() {
        insert(10);
        OutboxPoller poller = build(builder(this::record)
                .metrics(MetricsExporter.NOOP)
                .claimLocking("node-1", Duration.ofMinutes(5))
                .batchSize(5));

        poller.start();

        awaitUntil(() -> assertThat(handled).hasSizeGreaterThanOrEqualTo(5));
        await().during(Duration.ofMillis(200)).until(() -> store.polls().size() < 10);
    }

    @Test
    void closesAtOnceWhileItSleeps() {
        OutboxPoller poller = build(builder(this::record));
        poller.start();
        awaitUntil(() -> assertThat(store.polls()).isNotEmpty());
        long start = System.nanoTime();

        poller.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void startsOnceAndNotAfterClose() {
        OutboxPoller poller = build(builder(this::record));
        poller.start();
        poller.start();

        poller.close();
        poller.close();

        assertThatIllegalStateException().isThrownBy(poller::start).withMessageContaining("closed");
    }

    @Test
    void pollsNoMoreAfterClose() {
        OutboxPoller poller = build(builder(this::record).intervalMs(1));
        poller.start();
        awaitUntil(() -> assertThat(store.polls()).hasSizeGreaterThan(2));

        poller.close();
        int polls = store.polls().size();

        await().during(Duration.ofMillis(50)).until(() -> store.polls().size() == polls);
    }
}
