package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Rules of starting and stopping: whatever a node leaves is delivered by the next, once and without delay. */
abstract class DeliveryRestartRules extends DeliveryRules {

    private static final int LEAST_RESTARTS = 5;
    private static final Duration RUN_TIME = Duration.ofMillis(40);

    DeliveryRestartRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
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

    /** Runs the load and restarts again and again until it has ended. */
    private void runWhileRestarting(WriteLoad load, Runnable restart) {
        CountDownLatch writing = new CountDownLatch(size.writers());
        List<Callable<Void>> tasks = new ArrayList<>();
        for (Callable<Void> writer : load.tasks(size.writers(), size.transactionsPerWriter())) {
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
        Parallel.run(tasks);
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
        Outbox closing =
                open(multiNode("closing", LEASE).listenerRegistry(stuck).drainTimeoutMs(0));
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
    void aNodeThatIsNotStartedLeavesItsEventsToTheOthers() {
        if (multiNodeIsRefused()) {
            return;
        }
        registry.register(TYPE, deliveries.succeeding());
        Outbox waiting = open(multiNode("waiting", LEASE).startManually());
        open(multiNode("working", LEASE));
        List<EventEnvelope> events = numbered(5);

        engine.inTransaction(() -> waiting.writer().writeAll(events));

        assertDelivered(ids(events));
    }

    @Test
    void aNodeThatIsStartedLaterDeliversWhatItWroteBefore() {
        if (multiNodeIsRefused()) {
            return;
        }
        registry.register(TYPE, deliveries.succeeding());
        Outbox outbox = open(multiNode("late", LEASE).intervalMs(60_000).startManually());
        List<EventEnvelope> before = numbered(5);
        List<EventEnvelope> meanwhile = numbered(5);

        engine.inTransaction(() -> outbox.writer().writeAll(before));
        engine.inTransaction(() -> {
            outbox.writer().writeAll(meanwhile);
            outbox.start();
        });

        List<String> all = new ArrayList<>(ids(before));
        all.addAll(ids(meanwhile));
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
}
