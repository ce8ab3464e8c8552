package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * From the reservation of an event, before it is written, to its place in the queue, whatever becomes of its
 * transaction.
 */
@ExtendWith(NoLeftoverThreads.class)
class HotPathTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Node node = Node.on(backend).metrics(metrics);

    @AfterEach
    void close() {
        node.close();
    }

    private Node node(boolean several) {
        if (several) {
            node.named("node", LEASE);
        }
        return node;
    }

    private void awaitDone(int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(EventStatus.DONE) == count);
    }

    /** Writes without an end of the transaction. */
    private void begin(EventEnvelope... events) {
        backend.begin();
        node.writer().writeAll(List.of(events));
    }

    // Room

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTransactionOfManySingleWritesReservesNoMoreThanThereIsRoomFor(boolean several) {
        node(several)
                .delivery(settings -> settings.hotQueueCapacity(10))
                .listen(event -> DispatchResult.done())
                .polling(settings -> settings.intervalMs(1))
                .start();

        backend.begin();
        for (int i = 0; i < 50; i++) {
            node.writer().write(Events.event("e" + i));
        }
        backend.commit();

        awaitDone(50);
        assertThat(metrics.get("hotEnqueued")).isEqualTo(10);
        assertThat(metrics.get("hotDropped")).isEqualTo(40);
        assertThat(backend.calls(Op.RELEASE)).as("locked for nothing").isZero();
        assertThat(node.delivered()).hasSize(50).doesNotHaveDuplicates();
    }

    @Test
    void theRoomOfTransactionsThatRolledBackIsFreeAgain() {
        node.delivery(settings -> settings.hotQueueCapacity(1))
                .listen(event -> DispatchResult.done())
                .start();

        for (int i = 0; i < 5; i++) {
            begin(Events.event("e" + i));
            backend.rollBack();
        }
        node.write(Events.event("last"));

        awaitDone(1);
        assertThat(metrics.get("hotEnqueued")).isEqualTo(1);
    }

    /** The worker that asks it waits; the queue, which writers need, is free. */
    @Test
    void aListenerThatBlocksWhenItIsAskedForItsBatchSizeHoldsUpNoWriter() throws Exception {
        Gate gate = new Gate();
        node.listenDirectly(new BatchEventListener() {
                    @Override
                    public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
                        return events.stream().map(event -> BatchOutcome.done()).toList();
                    }

                    @Override
                    public int maxBatchSize() {
                        gate.pass();
                        return 10;
                    }
                })
                .delivery(settings -> settings.workerCount(1))
                .start();
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try {
            node.write(Events.event("first"));
            gate.awaitReached();

            writer.submit(() -> node.write(Events.event("second"))).get(20, TimeUnit.SECONDS);

            assertThat(metrics.get("hotEnqueued")).isEqualTo(2);
        } finally {
            gate.open();
            writer.shutdown();
        }
        awaitDone(2);
    }

    // Certain ends

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eventsRolledBackAndWrittenAgainAllTakeTheHotPathWhileThePollerLooksForThem(boolean several) {
        node(several)
                .listen(event -> DispatchResult.done())
                .polling(settings -> settings.intervalMs(1))
                .start();

        for (int i = 0; i < 20; i++) {
            EventEnvelope event = Events.event("e" + i);
            for (int attempt = 0; attempt < 50; attempt++) {
                begin(event);
                backend.rollBack();
            }
            node.write(event);
        }

        awaitDone(20);
        assertThat(node.delivered()).hasSize(20).doesNotHaveDuplicates();
        assertThat(metrics.get("hotEnqueued")).isEqualTo(20);
        assertThat(metrics.get("hotDropped") + metrics.get("coldEnqueued")).isZero();
        assertThat(backend.calls(Op.RELEASE))
                .as("nothing was there to give back")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEventThatThePollerMeetsBeforeItsCommitIsReportedIsLeftToTheHotPath(boolean several) {
        node(several).listen(event -> DispatchResult.done()).start();
        begin(Events.event("e"));

        Runnable report = backend.commitSilently();
        node.loop().pollOnce();
        assertThat(node.delivered()).isEmpty();
        report.run();
        node.loop().pollOnce();

        awaitDone(1);
        assertThat(node.delivered()).containsExactly("e");
        assertThat(metrics.get("coldEnqueued")).isZero();
    }

    // Unknown ends

    @Test
    void anEventWhoseEndIsUnknownIsGivenBackAndFoundByThePollerIfItIsThere() {
        node(true).listen(event -> DispatchResult.done()).start();
        begin(Events.event("e"));

        backend.endUnknown(true);

        awaitDone(1);
        assertThat(node.delivered()).containsExactly("e");
        assertThat(metrics.get("hotEnqueued")).isZero();
        await().untilAsserted(() -> assertThat(metrics.get("coldEnqueued")).isEqualTo(1));
    }

    @Test
    void anEventWhoseEndIsUnknownCanBeWrittenAgainIfItIsNotThere() {
        node(true).listen(event -> DispatchResult.done()).start();
        begin(Events.event("e"));

        backend.endUnknown(false);
        await().until(() -> backend.calls(Op.RELEASE) == 1);
        node.write(Events.event("e"));

        awaitDone(1);
        assertThat(node.delivered()).containsExactly("e");
    }

    @Test
    void anEventWhoseWriteFailedAndIsCommittedAllTheSameIsGivenBack() {
        node(true).listen(event -> DispatchResult.done()).start();
        backend.after(Op.PERSIST, call -> {
            throw ScriptedBackend.unreachable();
        });

        backend.begin();
        assertThatIllegalStateException().isThrownBy(() -> node.writer().write(Events.event("e")));
        backend.commit();

        awaitDone(1);
        assertThat(node.delivered()).containsExactly("e");
        assertThat(metrics.get("hotEnqueued")).isZero();
    }

    @Test
    void anEventWhoseWriteFailedAndIsRolledBackCanBeWrittenAgainAtOnce() {
        node(true).listen(event -> DispatchResult.done()).start();
        backend.down(Op.PERSIST);
        backend.begin();
        assertThatIllegalStateException().isThrownBy(() -> node.writer().write(Events.event("e")));
        backend.rollBack();
        backend.undisturbed(Op.PERSIST);

        node.write(Events.event("e"));

        awaitDone(1);
        assertThat(metrics.get("hotEnqueued")).isEqualTo(1);
    }

    // Reservations that are over when the report comes

    /** Lets this node's poller claim an event whose transaction took longer than the lease, and its listener begin. */
    private Runnable stolenWhileTheReportIsOnItsWay(Gate listener) {
        node(true)
                .listen(event -> {
                    listener.pass();
                    return DispatchResult.done();
                })
                .build();
        node.engine().start();
        begin(Events.event("e"));
        Runnable report = backend.commitSilently();
        backend.age("e", LEASE.multipliedBy(2));
        node.loop().pollOnce();
        listener.awaitReached();
        return report;
    }

    @Test
    void aReportThatComesAfterThePollerTookTheEventQueuesItNotAgain() {
        Gate listener = new Gate();
        Runnable report = stolenWhileTheReportIsOnItsWay(listener);

        report.run();
        assertThat(backend.owner("e")).as("held by the poller's claim").isEqualTo("node");
        listener.open();

        awaitDone(1);
        node.close();
        assertThat(node.delivered()).containsExactly("e");
        assertThat(metrics.get("hotEnqueued")).isZero();
    }

    @Test
    void aReportThatComesAfterTheEventWasDeliveredChangesNothing() {
        Gate listener = new Gate();
        Runnable report = stolenWhileTheReportIsOnItsWay(listener);
        listener.open();
        awaitDone(1);

        report.run();

        node.close();
        assertThat(node.delivered()).containsExactly("e");
        assertThat(backend.status("e")).isEqualTo(EventStatus.DONE);
    }

    // Engines without transactions

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutTransactionsAnEventIsInThisNodesHandsBeforeItIsVisible(boolean several) {
        backend.withoutTransactions();
        node(several).listen(event -> DispatchResult.done()).start();
        backend.after(Op.PERSIST, call -> node.loop().pollOnce());

        for (int i = 0; i < 300; i++) {
            node.writer().write(Events.event("e" + i));
        }

        awaitDone(300);
        assertThat(node.delivered()).hasSize(300).doesNotHaveDuplicates();
        assertThat(metrics.get("hotEnqueued")).isEqualTo(300);
        assertThat(metrics.get("coldEnqueued")).isZero();
    }

    @Test
    void withoutTransactionsAWriteWhoseAnswerIsLostIsLeftToThePoller() {
        backend.withoutTransactions().after(Op.PERSIST, call -> {
            throw ScriptedBackend.unreachable();
        });
        node(true).listen(event -> DispatchResult.done()).start();

        assertThatIllegalStateException().isThrownBy(() -> node.writer().write(Events.event("e")));

        awaitDone(1);
        assertThat(node.delivered()).containsExactly("e");
    }

    // Room

    @Test
    void aFullLaneSendsOnlyItsOwnEventsToThePoller() {
        Gate listener = new Gate();
        node(true)
                .delivery(settings -> settings.lane(
                        "Slow", LanePolicy.builder().queueCapacity(1).build()))
                .listen("Slow", event -> {
                    listener.pass();
                    return DispatchResult.done();
                })
                .listen(event -> DispatchResult.done())
                .build();
        node.engine().start();
        node.write(Events.event("s1", "Slow"));
        listener.awaitReached();
        node.write(Events.event("s2", "Slow"));
        List<String> owners = new ArrayList<>();

        begin(Events.event("s3", "Slow"), Events.event("f1"), Events.event("f2"));
        Runnable report = backend.commitSilently();
        for (String id : List.of("s3", "f1", "f2")) {
            owners.add(backend.owner(id));
        }
        report.run();

        awaitDone(2);
        assertThat(owners).containsExactly(null, "node", "node");
        assertThat(node.delivered()).contains("f1", "f2").doesNotContain("s3");
        assertThat(metrics.get("hotDropped")).isEqualTo(1);
        listener.open();
        awaitDone(4);
    }
}
