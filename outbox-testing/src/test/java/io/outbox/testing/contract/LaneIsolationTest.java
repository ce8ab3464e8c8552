package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An event type with a lane of its own neither holds up the others nor shares its limits with them. */
class LaneIsolationTest extends InMemoryOutboxTest {

    private static final String BLOCKED = "Blocked";
    private static final String LANED = "Laned";
    private static final String SHARED = "Shared";

    private final Queue<Integer> batches = new ConcurrentLinkedQueue<>();

    private static LanePolicy.Builder lane() {
        return LanePolicy.builder().retryPolicy(attempts -> 5);
    }

    /** Never returns, unless it is interrupted. */
    private static EventListener blocked(AtomicInteger calls) {
        return event -> {
            calls.incrementAndGet();
            new CountDownLatch(1).await();
            return DispatchResult.done();
        };
    }

    private void registerTypes(AtomicInteger blockedCalls) {
        registry.register(BLOCKED, blocked(blockedCalls));
        registry.register(LANED, deliveries.succeeding());
        registry.register(SHARED, deliveries.succeeding());
    }

    private Outbox.AbstractBuilder<?> withBlockedLane(Mode mode) {
        return outbox(mode)
                .lane(BLOCKED, lane().concurrency(2).queueCapacity(2).build())
                .lane(LANED, lane().build());
    }

    @ParameterizedTest
    @EnumSource
    void aTypeBlockedForGoodDelaysNoOtherOnTheHotPath(Mode mode) {
        AtomicInteger blockedCalls = new AtomicInteger();
        registerTypes(blockedCalls);
        Outbox outbox = open(withBlockedLane(mode));

        List<String> stuck = write(outbox, events(BLOCKED, 30));
        List<String> laned = write(outbox, events(LANED, 50));
        List<String> shared = write(outbox, events(SHARED, 50));

        awaitDeliveredOnce(all(laned, shared));
        assertStatus(EventStatus.NEW, stuck);
        assertThat(blockedCalls).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void aTypeBlockedForGoodDelaysNoOtherThatIsWrittenInTheSameTransactions(Mode mode) {
        AtomicInteger blockedCalls = new AtomicInteger();
        registerTypes(blockedCalls);
        Outbox outbox = open(withBlockedLane(mode));
        List<EventEnvelope> laned = events(LANED, 30);
        List<EventEnvelope> shared = events(SHARED, 30);

        for (int i = 0; i < 30; i++) {
            List<EventEnvelope> together = List.of(EventEnvelope.ofJson(BLOCKED, "{}"), laned.get(i), shared.get(i));
            backend.inTransaction(() -> outbox.writer().writeAll(together));
        }

        awaitDeliveredOnce(all(EngineRules.ids(laned), EngineRules.ids(shared)));
        assertThat(blockedCalls).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void aTypeBlockedForGoodDelaysNoOtherOnTheColdPath(Mode mode) {
        AtomicInteger blockedCalls = new AtomicInteger();
        registerTypes(blockedCalls);
        List<String> stuck = store(events(BLOCKED, 300));
        List<String> others = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            others.addAll(store(events(LANED, 1)));
            store(events(BLOCKED, 1));
            others.addAll(store(events(SHARED, 1)));
        }

        open(withBlockedLane(mode).batchSize(10));

        awaitDeliveredOnce(others);
        assertStatus(EventStatus.NEW, stuck);
        assertThat(blockedCalls).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void aSharedLaneBlockedForGoodDelaysNoTypeWithALane(Mode mode) {
        AtomicInteger blockedCalls = new AtomicInteger();
        registry.register(SHARED, blocked(blockedCalls));
        registry.register(LANED, deliveries.succeeding());
        store(events(SHARED, 100));
        List<String> cold = store(events(LANED, 50));

        Outbox outbox = open(outbox(mode).lane(LANED, lane().build()));
        write(outbox, events(SHARED, 100));
        List<String> hot = write(outbox, events(LANED, 50));

        awaitDeliveredOnce(all(cold, hot));
        assertThat(blockedCalls).hasValue(4);
    }

    @ParameterizedTest
    @EnumSource
    void retriesAndDelayedEventsOfOtherTypesComeInTimeThoughALaneIsFull(Mode mode) {
        registry.register(BLOCKED, blocked(new AtomicInteger()));
        registry.register(SHARED, deliveries.failingSometimes());
        registry.register(LANED, deliveries.succeeding());
        Outbox outbox = open(withBlockedLane(mode));

        write(outbox, events(BLOCKED, 20));
        List<String> retried = write(outbox, events(SHARED, 30));
        EventEnvelope delayed = EventEnvelope.builder(LANED)
                .payloadJson("{}")
                .deliverAfter(Duration.ofMillis(150))
                .build();
        write(outbox, List.of(delayed));

        awaitDeliveredOnce(all(retried, List.of(delayed.eventId())));
    }

    @ParameterizedTest
    @EnumSource
    void aLargeBacklogOfOneLaneDoesNotHoldUpTheColdPathOfTheOthers(Mode mode) {
        int backlog = 4_000;
        AtomicInteger busy = new AtomicInteger();
        Queue<Integer> busyWhenOthersCame = new ConcurrentLinkedQueue<>();
        registry.register(LANED, event -> {
            busy.incrementAndGet();
            return DispatchResult.done();
        });
        registry.register(SHARED, event -> {
            busyWhenOthersCame.add(busy.get());
            return DispatchResult.done();
        });
        store(events(LANED, backlog));
        List<String> others = store(events(SHARED, 3));

        open(outbox(mode).lane(LANED, lane().batchSize(1).queueCapacity(backlog).build()));

        awaitStatus(EventStatus.DONE, others);
        assertThat(busyWhenOthersCame)
                .allSatisfy(delivered -> assertThat(delivered).isLessThan(backlog / 2));
    }

    @ParameterizedTest
    @EnumSource
    void aLaneHasItsOwnAttemptsAndBackOff(Mode mode) {
        Duration laneBackOff = Duration.ofMillis(120);
        Map<String, Queue<Instant>> calls = new ConcurrentHashMap<>();
        for (String type : List.of(LANED, SHARED)) {
            calls.put(type, new ConcurrentLinkedQueue<>());
            registry.register(type, event -> {
                calls.get(type).add(Instant.now());
                throw new IllegalStateException("fails on purpose");
            });
        }
        Outbox outbox = open(outbox(mode)
                .lane(
                        LANED,
                        LanePolicy.builder()
                                .maxAttempts(3)
                                .retryPolicy(attempts -> laneBackOff.toMillis())
                                .build()));

        List<String> laned = write(outbox, events(LANED, 1));
        List<String> shared = write(outbox, events(SHARED, 1));

        awaitStatus(EventStatus.DEAD, all(laned, shared));
        assertThat(stored(laned.get(0)).attempts()).isEqualTo(3);
        assertThat(stored(shared.get(0)).attempts()).isEqualTo(4);
        assertThat(calls.get(SHARED)).hasSize(4);
        List<Instant> times = List.copyOf(calls.get(LANED));
        assertThat(times).hasSize(3);
        for (int i = 1; i < times.size(); i++) {
            assertThat(Duration.between(times.get(i - 1), times.get(i))).isGreaterThanOrEqualTo(laneBackOff);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLaneCapsTheBatchesOfItsListener(Mode mode) {
        registry.register(LANED, batching(100));
        List<String> stored = store(events(LANED, 60));

        open(outbox(mode).lane(LANED, lane().batchSize(7).build()));

        awaitDeliveredOnce(stored);
        assertThat(batches).allSatisfy(size -> assertThat(size).isLessThanOrEqualTo(7));
    }

    @Test
    void aBatchIsNoLargerThanTheListenerWantsThoughTheLaneAllowsMore() {
        registry.register(LANED, batching(3));
        List<String> stored = store(events(LANED, 30));

        open(outbox(Mode.SINGLE_NODE).lane(LANED, lane().batchSize(7).build()));

        awaitDeliveredOnce(stored);
        assertThat(batches).allSatisfy(size -> assertThat(size).isLessThanOrEqualTo(3));
    }

    private BatchEventListener batching(int maxBatchSize) {
        return new BatchEventListener() {
            @Override
            public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
                batches.add(events.size());
                events.forEach(event -> {
                    deliveries.enter(event);
                    deliveries.success(event);
                    deliveries.exit(event);
                });
                return Collections.nCopies(events.size(), BatchOutcome.done());
            }

            @Override
            public int maxBatchSize() {
                return maxBatchSize;
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void aLaneCallsAsManyListenersAtOnceAsItsConcurrencySaysAndNeverMore(Mode mode) {
        int concurrency = 3;
        CyclicBarrier together = new CyclicBarrier(concurrency);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        registry.register(LANED, deliveries.recording((event, attempt) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            together.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            running.decrementAndGet();
            return DispatchResult.done();
        }));
        List<String> cold = store(events(LANED, 10 * concurrency));
        Outbox outbox =
                open(outbox(mode).lane(LANED, lane().concurrency(concurrency).build()));

        List<String> hot = write(outbox, events(LANED, 10 * concurrency));

        awaitDeliveredOnce(all(cold, hot));
        assertThat(most).hasValue(concurrency);
    }

    @ParameterizedTest
    @EnumSource
    void aLaneKeepsItsRateHoweverManyListenersItHasAndSlowsNoOther(Mode mode) {
        Queue<Instant> times = new ConcurrentLinkedQueue<>();
        registry.register(LANED, deliveries.recording((event, attempt) -> {
            times.add(Instant.now());
            return DispatchResult.done();
        }));
        registry.register(SHARED, deliveries.succeeding());
        List<String> limited = store(events(LANED, 41));
        List<String> unlimited = store(events(SHARED, 100));

        open(outbox(mode).lane(LANED, lane().maxPerSecond(40).concurrency(4).build()));

        awaitStatus(EventStatus.DONE, unlimited);
        assertThat(times.size()).isLessThan(41);
        awaitDeliveredOnce(all(limited, unlimited));
        Instant first = Collections.min(times);
        Instant last = Collections.max(times);
        assertThat(Duration.between(first, last)).isBetween(Duration.ofMillis(900), Duration.ofSeconds(10));
    }

    @Test
    void aBatchIsNoLargerThanARateAllows() {
        registry.register(LANED, batching(100));
        List<String> stored = store(events(LANED, 30));

        open(outbox(Mode.SINGLE_NODE).lane(LANED, lane().maxPerSecond(20).build()));

        awaitDeliveredOnce(stored);
        assertThat(batches).allSatisfy(size -> assertThat(size).isLessThanOrEqualTo(20));
    }

    @ParameterizedTest
    @EnumSource
    void aLaneWithAStartDelayBeginsLaterThanTheOthers(Mode mode) {
        Duration delay = Duration.ofMillis(500);
        Queue<Instant> times = new ConcurrentLinkedQueue<>();
        registry.register(LANED, deliveries.recording((event, attempt) -> {
            times.add(Instant.now());
            return DispatchResult.done();
        }));
        registry.register(SHARED, deliveries.succeeding());
        List<String> cold = store(events(LANED, 5));
        List<String> others = store(events(SHARED, 5));
        Outbox outbox =
                open(outbox(mode).lane(LANED, lane().startDelay(delay).build()).startManually());
        List<String> beforeTheStart = write(outbox, events(LANED, 5));

        Instant start = Instant.now();
        outbox.start();
        List<String> hot = write(outbox, events(LANED, 5));

        awaitDeliveredOnce(all(cold, beforeTheStart, hot, others));
        assertThat(times).allSatisfy(time -> assertThat(time).isAfterOrEqualTo(start.plus(delay)));
    }

    @Test
    void severalNodesWithLanesDeliverEveryEventOnce() {
        registry.register(LANED, deliveries.failingSometimes());
        registry.register(BLOCKED, deliveries.taking(Duration.ofMillis(2)));
        registry.register(SHARED, deliveries.failingSometimes());
        List<Outbox> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            nodes.add(open(node(name, LEASE)
                    .lane(LANED, lane().queueCapacity(3).concurrency(2).build())
                    .lane(BLOCKED, lane().queueCapacity(1).build())
                    .intervalMs(5)));
        }
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            Outbox node = nodes.get(i % nodes.size());
            written.addAll(write(node, events(List.of(LANED, BLOCKED, SHARED).get(i % 3), 1)));
            written.addAll(write(node, events(LANED, 1)));
        }

        awaitDeliveredOnce(written);
        assertThat(metrics.fenced()).isZero();
    }

    @Test
    void lanesAreRefusedInOrderedMode() {
        assertThatIllegalStateException()
                .isThrownBy(() -> on(backend, Outbox.ordered())
                        .lane(LANED, lane().build())
                        .build())
                .withMessageContaining("lane");
    }
}
