package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Rules of the way from the commit to the listener: an event that can go straight does, and waits for no lease. */
abstract class DeliveryHotPathRules extends DeliveryRules {

    private static final int ROLLBACKS = 100;
    /** Enough for what an engine does in the background, if it does anything. */
    private static final Duration BACKGROUND_TIME = Duration.ofMillis(20);

    private static final String FULL = "Full";

    DeliveryHotPathRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
    }

    /** Begins a node that polls without pause while its writes are under way. */
    private Outbox.SingleNodeBuilder slowlyWritingNode() {
        return singleNode().backend(new SlowWrites(backend).backend()).intervalMs(1);
    }

    private Outbox.MultiNodeBuilder slowlyWritingNode(String name) {
        return multiNode(name, LEASE).backend(new SlowWrites(backend).backend()).intervalMs(1);
    }

    @Test
    void whatOneNodeWritesIsDeliveredOnceHoweverOftenItIsPolledMeanwhile() {
        writeOneByOne(open(slowlyWritingNode()));
    }

    @Test
    void whatOneOfSeveralNodesWritesIsDeliveredOnceHoweverOftenItIsPolledMeanwhile() {
        if (!multiNodeIsRefused()) {
            open(multiNode("other", LEASE).intervalMs(1));
            writeOneByOne(open(slowlyWritingNode("writer")));
        }
    }

    @Test
    void whatIsWrittenInOrderIsDeliveredOnceHoweverOftenItIsPolledMeanwhile() {
        writeOneByOne(open(ordered().backend(new SlowWrites(backend).backend()).intervalMs(1)));
    }

    private void writeOneByOne(Outbox outbox) {
        registry.register(TYPE, deliveries.succeeding());
        List<Callable<List<String>>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<EventEnvelope> events = numbered(75);
            writers.add(() -> {
                events.forEach(
                        event -> engine.inTransaction(() -> outbox.writer().write(event)));
                return ids(events);
            });
        }

        List<String> written = new ArrayList<>();
        Parallel.run(writers).forEach(written::addAll);

        assertDelivered(written);
    }

    @Test
    void whatOneNodeRollsBackAndRepeatsAtOnceIsDeliveredOnce() {
        ClaimRecord watched = new ClaimRecord(backend);
        repeatAfterRollbacks(open(singleNode().backend(watched.backend())), watched);
    }

    @Test
    void whatOneOfSeveralNodesRollsBackAndRepeatsAtOnceIsDeliveredOnceAndWaitsForNoLease() {
        if (!multiNodeIsRefused()) {
            ClaimRecord watched = new ClaimRecord(backend);
            open(multiNode("other", LEASE));
            repeatAfterRollbacks(open(multiNode("writer", LEASE).backend(watched.backend())), watched);
        }
    }

    /**
     * Writes the same events again as soon as their transaction has rolled back, as a loop of retries would. What the
     * rollback leaves to do in the background meets the second transaction before it commits.
     */
    private void repeatAfterRollbacks(Outbox outbox, ClaimRecord watched) {
        registry.register(TYPE, deliveries.succeeding());
        List<String> written = new ArrayList<>();
        for (int i = 0; i < ROLLBACKS; i++) {
            List<EventEnvelope> events = numbered(i % 3 + 1);
            if (backend.requiresActiveTransaction()) {
                rollBack(() -> outbox.writer().writeAll(events));
            }
            engine.inTransaction(() -> {
                outbox.writer().writeAll(events);
                Waiting.atMost(BACKGROUND_TIME, () -> watched.released().containsAll(ids(events)));
            });
            written.addAll(ids(events));
        }

        assertDelivered(written);
    }

    @Test
    void oneFullLaneOfANodeLeavesTheOtherTypesOnTheHotPath() {
        ClaimRecord watched = new ClaimRecord(backend);
        fillOneLane(singleNode().hotQueueCapacity(100).backend(watched.backend()), watched);
    }

    @Test
    void oneFullLaneOfSeveralNodesLeavesTheOtherTypesOnTheHotPath() {
        if (!multiNodeIsRefused()) {
            ClaimRecord watched = new ClaimRecord(backend);
            fillOneLane(multiNode("node", LEASE).hotQueueCapacity(100).backend(watched.backend()), watched);
        }
    }

    /** Writes events of a full lane and of another type together, and lets no poller come to their help. */
    private void fillOneLane(Outbox.AbstractBuilder<?> node, ClaimRecord watched) {
        CountDownLatch room = new CountDownLatch(1);
        registry.register(FULL, deliveries.recording((event, attempt) -> {
            room.await();
            return DispatchResult.done();
        }));
        registry.register(TYPE, deliveries.succeeding());
        RecordedMetrics metrics = new RecordedMetrics();
        Outbox outbox =
                open(node.lane(FULL, LanePolicy.builder().queueCapacity(1).build())
                        .intervalMs(size.patience().toMillis() * 2)
                        .metrics(metrics));
        List<EventEnvelope> filling = events(FULL, 10);
        for (EventEnvelope event : filling) {
            engine.inTransaction(() -> outbox.writer().write(event));
            Waiting.until(
                    size.patience(),
                    () -> "no listener",
                    () -> deliveries.attempts(filling.get(0).eventId()) > 0);
        }
        assertThat(metrics.hotDropped()).as("left to the poller").isPositive();
        int enqueuedBefore = metrics.hotEnqueued();

        List<EventEnvelope> others = numbered(20);
        List<EventEnvelope> together = new ArrayList<>(events(FULL, 5));
        together.addAll(3, others);
        engine.inTransaction(() -> outbox.writer().writeAll(together));

        awaitStatus(EventStatus.DONE, ids(others));
        int enqueued = metrics.hotEnqueued() - enqueuedBefore;
        Set<String> claimed = Set.copyOf(watched.claimed());
        Set<String> released = Set.copyOf(watched.released());
        room.countDown();

        assertThat(enqueued).as("enqueued on the hot path").isEqualTo(others.size());
        assertThat(claimed).as("claimed").doesNotContainAnyElementsOf(ids(others));
        assertThat(released).as("given back").doesNotContainAnyElementsOf(ids(others));
        List<String> all = new ArrayList<>(ids(filling));
        all.addAll(ids(together));
        assertDelivered(all);
    }
}
