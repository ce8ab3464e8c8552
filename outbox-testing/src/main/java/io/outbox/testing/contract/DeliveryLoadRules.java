package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Rules of delivery under load: every committed event once, in every mode, however small the queues. */
abstract class DeliveryLoadRules extends DeliveryRules {

    DeliveryLoadRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
    }

    @RepeatedTest(REPETITIONS)
    void oneNodeDeliversEveryCommittedEventOnce() {
        registerAllTypes();
        Outbox outbox = open(singleNode());
        WriteLoad load = new WriteLoad(engine, outbox::writer, ALL_TYPES);

        load.run(size.writers(), size.transactionsPerWriter());

        assertDelivered(load.committed());
    }

    @RepeatedTest(REPETITIONS)
    void severalNodesDeliverEveryCommittedEventOnce() {
        if (multiNodeIsRefused()) {
            return;
        }
        registerAllTypes();
        List<Outbox> outboxes = new ArrayList<>();
        for (int i = 0; i < size.nodes(); i++) {
            outboxes.add(open(multiNode("node-" + i, LEASE)));
        }
        AtomicInteger turn = new AtomicInteger();
        WriteLoad load = new WriteLoad(
                engine,
                () -> outboxes.get(turn.getAndIncrement() % size.nodes()).writer(),
                ALL_TYPES);

        load.run(size.writers(), size.transactionsPerWriter());

        assertDelivered(load.committed());
    }

    @RepeatedTest(REPETITIONS)
    void orderedDeliveryFollowsTheOrderOfWritingPerAggregate() {
        registerAllTypes();
        Outbox outbox = open(ordered());
        WriteLoad load = new WriteLoad(engine, outbox::writer, List.of(WriteLoad.FAST, WriteLoad.SLOW));

        load.run(size.writers(), size.transactionsPerWriter());

        assertDelivered(load.committed());
        assertInOrder(load);
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
