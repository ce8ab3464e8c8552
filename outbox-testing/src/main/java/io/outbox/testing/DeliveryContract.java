package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * Delivery from end to end on an engine: every event of a committed transaction is delivered once, and none of a
 * rolled-back one, in every mode, under load, with failures, small queues and restarts.
 *
 * <p>To test an engine, describe it as an {@link EngineUnderTest} in real time and extend this class; see
 * {@link OutboxBackendContract}. The numbers of threads, transactions and nodes are methods to override, for instance
 * for a soak test. An engine that cannot claim is tested to be refused in multi-node mode.
 *
 * <p>After each test no thread of the outbox may be left.
 */
public abstract class DeliveryContract extends EngineTest {

    private static final int REPETITIONS = 3;
    private static final int LEAST_RESTARTS = 5;
    private static final Duration RUN_TIME = Duration.ofMillis(40);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration SETTLE_TIME = Duration.ofMillis(100);
    private static final List<String> ALL_TYPES =
            List.of(WriteLoad.FAST, WriteLoad.SLOW, WriteLoad.FLAKY, WriteLoad.DELAYED);

    private List<Outbox> open;
    private Deliveries deliveries;
    private DefaultListenerRegistry registry;
    private Set<Thread> threadsBefore;

    /** How many threads write at the same time. */
    protected int writers() {
        return 8;
    }

    /** How many transactions each of them makes. */
    protected int transactionsPerWriter() {
        return 30;
    }

    /** How many nodes share the store in multi-node tests. */
    protected int nodes() {
        return 3;
    }

    /** How long a test waits for deliveries; less than any lease in these tests that must not be waited for. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    @BeforeEach
    final void beginAfresh() {
        open = new ArrayList<>();
        deliveries = new Deliveries();
        registry = new DefaultListenerRegistry();
        threadsBefore = outboxThreads();
    }

    @AfterEach
    final void closeOutboxes() {
        open.forEach(Outbox::close);
        Waiting.until(
                Duration.ofSeconds(5),
                () -> "threads left: " + newThreads(),
                () -> newThreads().isEmpty());
    }

    @RepeatedTest(REPETITIONS)
    void oneNodeDeliversEveryCommittedEventOnce() {
        registerAllTypes();
        Outbox outbox = open(singleNode());
        WriteLoad load = new WriteLoad(engine, outbox::writer, ALL_TYPES);

        load.run(writers(), transactionsPerWriter());

        assertDelivered(load.committed());
    }

    @RepeatedTest(REPETITIONS)
    void severalNodesDeliverEveryCommittedEventOnce() {
        if (multiNodeIsRefused()) {
            return;
        }
        registerAllTypes();
        List<Outbox> outboxes = new ArrayList<>();
        for (int i = 0; i < nodes(); i++) {
            outboxes.add(open(multiNode("node-" + i, LEASE)));
        }
        AtomicInteger turn = new AtomicInteger();
        WriteLoad load = new WriteLoad(
                engine, () -> outboxes.get(turn.getAndIncrement() % nodes()).writer(), ALL_TYPES);

        load.run(writers(), transactionsPerWriter());

        assertDelivered(load.committed());
    }

    @RepeatedTest(REPETITIONS)
    void orderedDeliveryFollowsTheOrderOfWritingPerAggregate() {
        registerAllTypes();
        Outbox outbox = open(ordered());
        WriteLoad load = new WriteLoad(engine, outbox::writer, List.of(WriteLoad.FAST, WriteLoad.SLOW));

        load.run(writers(), transactionsPerWriter());

        assertDelivered(load.committed());
        assertInOrder(load);
    }

    @Test
    void orderedDeliveryKeepsItsOrderOverRestarts() {
        registerAllTypes();
        AtomicReference<Outbox> current = new AtomicReference<>(open(ordered()));
        WriteLoad load = new WriteLoad(engine, () -> current.get().writer(), List.of(WriteLoad.FAST, WriteLoad.SLOW));

        runWhileRestarting(load, () -> {
            current.get().close();
            current.set(open(ordered()));
        });

        assertDelivered(load.committed());
        assertInOrder(load);
    }

    @Test
    void anEventThatFailsInOrderedModeIsDeadAndDoesNotHoldUpTheNext() {
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            if (event.payloadJson().equals("{\"number\":2}")) {
                throw new IllegalStateException("fails on purpose");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(ordered());
        List<EventEnvelope> events = numbered(5);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        awaitStatus(EventStatus.DEAD, List.of(events.get(2).eventId()));
        List<String> others = new ArrayList<>(ids(events));
        others.remove(2);
        assertDelivered(others);
        assertThat(deliveries.attempts(events.get(2).eventId())).isEqualTo(1);
        assertThat(deliveries.payloadsOf("numbered"))
                .containsExactly("{\"number\":0}", "{\"number\":1}", "{\"number\":3}", "{\"number\":4}");
    }

    @RepeatedTest(REPETITIONS)
    void restartsOfOneNodeUnderLoadLoseAndRepeatNothing() {
        registerAllTypes();
        AtomicReference<Outbox> current =
                new AtomicReference<>(open(singleNode().drainTimeoutMs(20)));
        WriteLoad load = new WriteLoad(engine, () -> current.get().writer(), ALL_TYPES);

        runWhileRestarting(load, () -> {
            current.get().close();
            current.set(open(singleNode().drainTimeoutMs(20)));
        });

        assertDelivered(load.committed());
    }

    @RepeatedTest(REPETITIONS)
    void restartsOfNodesUnderLoadLoseAndRepeatNothingAndWaitForNoLease() {
        if (multiNodeIsRefused()) {
            return;
        }
        registerAllTypes();
        AtomicInteger names = new AtomicInteger();
        Outbox steady = open(multiNode("steady", LEASE));
        AtomicReference<Outbox> current = new AtomicReference<>(
                open(multiNode("node-" + names.getAndIncrement(), LEASE).drainTimeoutMs(20)));
        AtomicInteger turn = new AtomicInteger();
        WriteLoad load = new WriteLoad(
                engine, () -> (turn.getAndIncrement() % 2 == 0 ? steady : current.get()).writer(), ALL_TYPES);

        runWhileRestarting(load, () -> {
            current.get().close();
            current.set(open(multiNode("node-" + names.getAndIncrement(), LEASE).drainTimeoutMs(20)));
        });

        assertDelivered(load.committed());
    }

    @Test
    void aNodeClosedForGoodLeavesEverythingToTheOthersAtOnce() {
        if (multiNodeIsRefused()) {
            return;
        }
        CountDownLatch neverOpened = new CountDownLatch(1);
        DefaultListenerRegistry stuck = new DefaultListenerRegistry().register(TYPE, event -> {
            neverOpened.await();
            return DispatchResult.done();
        });
        Outbox closing = open(multiNode("closing", LEASE, stuck).drainTimeoutMs(0));
        List<EventEnvelope> events = numbered(20);
        engine.inTransaction(() -> closing.writer().writeAll(events));

        closing.close();
        registry.register(TYPE, deliveries.succeeding());
        open(multiNode("heir", LEASE));

        assertDelivered(ids(events));
        assertThat(events)
                .allSatisfy(
                        event -> assertThat(stored(event.eventId()).attempts()).isZero());
    }

    @Test
    void theEventsOfANodeThatDiedAreTakenOver() {
        if (multiNodeIsRefused()) {
            return;
        }
        Duration lease = Duration.ofMillis(500);
        List<EventEnvelope> written = numbered(5);
        store(written, "dead node");
        List<String> claimed = storeDue(5);
        assertThat(rowIds(claim("dead node", lease, 10))).containsExactlyInAnyOrderElementsOf(claimed);
        registry.register(TYPE, deliveries.succeeding());

        open(multiNode("a", lease));
        open(multiNode("b", lease));

        List<String> all = new ArrayList<>(claimed);
        all.addAll(ids(written));
        assertDelivered(all);
    }

    @Test
    void aListenerMayTakeLongerThanTheLease() {
        if (multiNodeIsRefused()) {
            return;
        }
        Duration lease = Duration.ofSeconds(1);
        registry.register(TYPE, deliveries.taking(lease.multipliedBy(5).dividedBy(2)));
        List<Outbox> outboxes = new ArrayList<>();
        for (int i = 0; i < nodes(); i++) {
            outboxes.add(open(multiNode("node-" + i, lease)));
        }
        List<EventEnvelope> events = numbered(6);

        engine.inTransaction(() -> outboxes.get(0).writer().writeAll(events));

        assertDelivered(ids(events));
        assertThat(events)
                .allSatisfy(event ->
                        assertThat(deliveries.attempts(event.eventId())).isEqualTo(1));
    }

    @Test
    void aBurstBeyondAllQueuesIsDelivered() {
        registerAllTypes();
        Outbox outbox = open(singleNode());
        List<EventEnvelope> burst = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            burst.add(EventEnvelope.builder(WriteLoad.SLOW).payloadJson("{}").build());
        }

        engine.inTransaction(() -> outbox.writer().writeAll(burst));

        assertDelivered(ids(burst));
    }

    @Test
    void aBatchListenerGetsEveryEventOnceAndBatchesWithinItsSize() {
        Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        registry.register(TYPE, new RecordingBatchListener(deliveries, sizes));
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        Outbox outbox =
                open(singleNode().hotQueueCapacity(1000).coldQueueCapacity(1000).startManually());
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            events.add(EventEnvelope.builder(i % 4 == 0 ? WriteLoad.FAST : TYPE)
                    .payloadJson("{}")
                    .build());
        }
        engine.inTransaction(() -> outbox.writer().writeAll(events));

        outbox.start();

        assertDelivered(ids(events));
        assertThat(sizes).allMatch(size -> size <= RecordingBatchListener.MAX_BATCH_SIZE);
        assertThat(sizes).anyMatch(size -> size > 1);
    }

    @Test
    void aBacklogWaitsForItsListeners() {
        List<EventEnvelope> backlog = numbered(50);
        try (Outbox writing = Outbox.writerOnly().backend(backend).build()) {
            engine.inTransaction(() -> writing.writer().writeAll(backlog));
        }
        Outbox outbox = open(singleNode().startManually());
        List<EventEnvelope> fresh = numbered(10);
        engine.inTransaction(() -> outbox.writer().writeAll(fresh));

        Waiting.pause(SETTLE_TIME);
        List<String> all = new ArrayList<>(ids(backlog));
        all.addAll(ids(fresh));
        assertThat(all).allSatisfy(id -> assertThat(stored(id).status()).isEqualTo(EventStatus.NEW));

        registry.register(TYPE, deliveries.succeeding());
        outbox.start();

        assertDelivered(all);
    }

    @Test
    void anErrorIsAFailedAttemptAndTheLastOneEndsTheEvent() {
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            throw attempt == 2 ? new StackOverflowError("deep") : new AssertionError("wrong");
        }));
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        Outbox outbox = open(singleNode().maxAttempts(3));
        List<EventEnvelope> events = numbered(10);
        EventEnvelope healthy = EventEnvelope.ofJson(WriteLoad.FAST, "{}");

        engine.inTransaction(() -> {
            outbox.writer().writeAll(events);
            outbox.writer().write(healthy);
        });

        awaitStatus(EventStatus.DEAD, ids(events));
        assertDelivered(List.of(healthy.eventId()));
        assertThat(events).allSatisfy(event -> {
            assertThat(deliveries.attempts(event.eventId())).isEqualTo(3);
            assertThat(stored(event.eventId()).lastError()).contains("wrong");
        });
    }

    @Test
    void failedAttemptsAreCountedInTheStore() {
        registry.register(TYPE, deliveries.failingSometimes());
        Outbox outbox = open(singleNode());
        List<EventEnvelope> events = numbered(30);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        assertDelivered(ids(events));
        assertThat(ids(events)).allSatisfy(id -> {
            assertThat(stored(id).attempts()).isEqualTo(Deliveries.failuresOf(id));
            assertThat(deliveries.attempts(id)).isEqualTo(Deliveries.failuresOf(id) + 1);
        });
    }

    @Test
    void aDeferredEventUsesUpNoAttempts() {
        registry.register(
                TYPE,
                deliveries.recording((event, attempt) ->
                        attempt <= 4 ? DispatchResult.retryAfter(Duration.ofMillis(10)) : DispatchResult.done()));
        Outbox outbox = open(singleNode().maxAttempts(2));
        List<EventEnvelope> events = numbered(10);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        assertDelivered(ids(events));
        assertThat(ids(events))
                .allSatisfy(id -> assertThat(deliveries.attempts(id)).isEqualTo(5));
    }

    @Test
    void aDelayedEventComesAtItsTimeNotAtTheNextInterval() {
        registry.register(TYPE, deliveries.succeeding());
        Outbox outbox = open(singleNode().intervalMs(patience().toMillis() * 2));
        EventEnvelope delayed = EventEnvelope.builder(TYPE)
                .deliverAfter(Duration.ofMillis(300))
                .payloadJson("{}")
                .build();

        engine.inTransaction(() -> outbox.writer().write(delayed));

        assertDelivered(List.of(delayed.eventId()));
    }

    @Test
    void anUnroutableEventIsDeadAndDeliveredOnceReplayed() {
        Outbox outbox = open(singleNode());
        EventEnvelope lost = EventEnvelope.ofJson(TYPE, "{}");
        engine.inTransaction(() -> outbox.writer().write(lost));
        awaitStatus(EventStatus.DEAD, List.of(lost.eventId()));

        registry.register(TYPE, deliveries.succeeding());

        assertThat(outbox.deadEvents().replayAll(TYPE, null, 10)).isEqualTo(1);
        assertDelivered(List.of(lost.eventId()));
    }

    @Test
    void aListenerMayWriteEventsItself() {
        AtomicReference<OutboxWriter> writer = new AtomicReference<>();
        Queue<String> all = new ConcurrentLinkedQueue<>();
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            EventEnvelope next = EventEnvelope.ofJson(WriteLoad.FAST, "{}");
            engine.inTransaction(() -> writer.get().write(next));
            all.add(next.eventId());
            return DispatchResult.done();
        }));
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        Outbox outbox = open(singleNode());
        writer.set(outbox.writer());
        List<EventEnvelope> events = numbered(50);
        all.addAll(ids(events));

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        Waiting.until(patience(), () -> all.size() + " of 100 written", () -> all.size() == 100);
        assertDelivered(all);
    }

    @Test
    void closingAnIdleOutboxTakesNoTime() {
        registry.register(TYPE, deliveries.succeeding());
        Outbox outbox = open(singleNode().intervalMs(60_000));
        EventEnvelope event = EventEnvelope.ofJson(TYPE, "{}");
        engine.inTransaction(() -> outbox.writer().write(event));
        assertDelivered(List.of(event.eventId()));

        long start = System.nanoTime();
        outbox.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }

    // Vocabulary

    private void registerAllTypes() {
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        registry.register(WriteLoad.SLOW, deliveries.taking(Duration.ofMillis(3)));
        registry.register(WriteLoad.FLAKY, deliveries.failingSometimes());
        registry.register(WriteLoad.DELAYED, deliveries.succeeding());
    }

    /** Begins a node with queues so small that they overflow, and a poller that never rests. */
    private Outbox.SingleNodeBuilder singleNode() {
        return Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(registry)
                .intervalMs(5)
                .batchSize(7)
                .workerCount(3)
                .hotQueueCapacity(8)
                .coldQueueCapacity(8)
                .retryPolicy(attempts -> 5);
    }

    private Outbox.MultiNodeBuilder multiNode(String name, Duration lease) {
        return multiNode(name, lease, registry);
    }

    private Outbox.MultiNodeBuilder multiNode(String name, Duration lease, DefaultListenerRegistry listeners) {
        return Outbox.multiNode()
                .backend(backend)
                .listenerRegistry(listeners)
                .claimLocking(name, lease)
                .intervalMs(5)
                .batchSize(7)
                .workerCount(3)
                .hotQueueCapacity(8)
                .coldQueueCapacity(8)
                .retryPolicy(attempts -> 5);
    }

    private Outbox.OrderedBuilder ordered() {
        return Outbox.ordered()
                .backend(backend)
                .listenerRegistry(registry)
                .intervalMs(5)
                .batchSize(7)
                .drainTimeoutMs(20);
    }

    private Outbox open(Outbox.AbstractBuilder<?> builder) {
        Outbox outbox = builder.build();
        open.add(outbox);
        return outbox;
    }

    private boolean multiNodeIsRefused() {
        if (!backend.supportsClaiming()) {
            assertThatThrownBy(() -> multiNode("node", LEASE).build()).isInstanceOf(IllegalStateException.class);
        }
        return !backend.supportsClaiming();
    }

    private List<EventEnvelope> numbered(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder(TYPE)
                    .aggregateId("numbered")
                    .payloadJson("{\"number\":" + i + "}")
                    .build());
        }
        return events;
    }

    /** Runs the load and restarts again and again until it has ended. */
    private void runWhileRestarting(WriteLoad load, Runnable restart) {
        CountDownLatch writing = new CountDownLatch(writers());
        List<Callable<Void>> tasks = new ArrayList<>();
        for (Callable<Void> writer : load.tasks(writers(), transactionsPerWriter())) {
            tasks.add(() -> {
                try {
                    return writer.call();
                } finally {
                    writing.countDown();
                }
            });
        }
        tasks.add(() -> {
            for (int restarts = 0; restarts < LEAST_RESTARTS || writing.getCount() > 0; restarts++) {
                Waiting.pause(RUN_TIME);
                restart.run();
            }
            return null;
        });
        inParallel(tasks);
    }

    /** Waits until the events are done, and a while longer for deliveries that must not be; then checks. */
    private void assertDelivered(Collection<String> eventIds) {
        Waiting.until(
                patience(),
                () -> deliveries.succeeded() + " of " + eventIds.size() + " events delivered",
                () -> deliveries.succeeded() >= eventIds.size());
        awaitStatus(EventStatus.DONE, eventIds);
        Waiting.pause(SETTLE_TIME);
        deliveries.assertExactly(eventIds);
    }

    private void awaitStatus(EventStatus status, Collection<String> eventIds) {
        Set<String> waiting = new HashSet<>(eventIds);
        Waiting.until(patience(), () -> "events not " + status + ": " + waiting, () -> {
            waiting.removeIf(id -> stored(id).status() == status);
            return waiting.isEmpty();
        });
    }

    private void assertInOrder(WriteLoad load) {
        load.payloadsByAggregate()
                .forEach((aggregate, payloads) -> assertThat(deliveries.payloadsOf(aggregate))
                        .as(aggregate)
                        .isEqualTo(payloads));
    }

    private Set<Thread> newThreads() {
        Set<Thread> threads = outboxThreads();
        threads.removeAll(threadsBefore);
        return threads;
    }

    private static Set<Thread> outboxThreads() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("outbox-"));
        return threads;
    }

    /** A batch listener that fails every seventh event once. */
    private record RecordingBatchListener(Deliveries deliveries, Queue<Integer> sizes, Set<String> failed)
            implements BatchEventListener {

        static final int MAX_BATCH_SIZE = 20;

        RecordingBatchListener(Deliveries deliveries, Queue<Integer> sizes) {
            this(deliveries, sizes, ConcurrentHashMap.newKeySet());
        }

        @Override
        public int maxBatchSize() {
            return MAX_BATCH_SIZE;
        }

        @Override
        public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
            sizes.add(events.size());
            events.forEach(deliveries::enter);
            List<BatchOutcome> outcomes = new ArrayList<>();
            for (EventEnvelope event : events) {
                if (Math.floorMod(event.eventId().hashCode(), 7) == 0 && failed.add(event.eventId())) {
                    outcomes.add(BatchOutcome.failed(new IllegalStateException("fails on purpose")));
                } else {
                    deliveries.success(event);
                    outcomes.add(BatchOutcome.done());
                }
            }
            events.forEach(deliveries::exit);
            return outcomes;
        }
    }
}
