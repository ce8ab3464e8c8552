package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Rules of delivery with a retention of zero: every committed event once, and nothing is left of it but what is dead.
 */
abstract class DeliveryDeletionRules extends DeliveryRules {

    DeliveryDeletionRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
    }

    @Test
    void oneNodeDeliversEveryCommittedEventOnceAndKeepsNone() {
        registerAllTypes();
        Outbox outbox = open(singleNode().purgeRetention(Duration.ZERO));
        WriteLoad load = new WriteLoad(engine, outbox::writer, ALL_TYPES);

        load.run(size.writers(), size.transactionsPerWriter());

        assertDeliveredAndGone(load.committed());
    }

    @Test
    void severalNodesDeliverEveryCommittedEventOnceAndKeepNone() {
        if (multiNodeIsRefused()) {
            return;
        }
        registerAllTypes();
        List<Outbox> outboxes = new ArrayList<>();
        for (int i = 0; i < size.nodes(); i++) {
            outboxes.add(open(multiNode("node-" + i, LEASE).purgeRetention(Duration.ZERO)));
        }
        AtomicInteger turn = new AtomicInteger();
        WriteLoad load = new WriteLoad(
                engine,
                () -> outboxes.get(turn.getAndIncrement() % size.nodes()).writer(),
                ALL_TYPES);

        load.run(size.writers(), size.transactionsPerWriter());

        assertDeliveredAndGone(load.committed());
    }

    @Test
    void orderedDeliveryKeepsNoEvent() {
        registerAllTypes();
        Outbox outbox = open(ordered().purgeRetention(Duration.ZERO));
        WriteLoad load = new WriteLoad(engine, outbox::writer, List.of(WriteLoad.FAST));

        load.run(size.writers(), size.transactionsPerWriter());

        assertDeliveredAndGone(load.committed());
        assertInOrder(load);
    }

    @Test
    void deadEventsStayAndAreDeletedOnceTheyAreReplayedAndDone() {
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            if (attempt == 1) {
                throw new UnrecoverableException("no such customer");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(singleNode().purgeRetention(Duration.ZERO).purgeIntervalSeconds(1));
        EventEnvelope event = EventEnvelope.ofJson(TYPE, "{}");
        engine.inTransaction(() -> outbox.writer().write(event));
        awaitStatus(EventStatus.DEAD, List.of(event.eventId()));

        awaitPurge();
        assertThat(stored(event.eventId()).status()).isEqualTo(EventStatus.DEAD);
        outbox.deadEvents().replay(event.eventId());

        assertDeliveredAndGone(List.of(event.eventId()));
    }

    @Test
    void whatWasDoneBeforeIsPurged() {
        List<String> before = storeDue(20);
        finish(before);

        open(singleNode().purgeRetention(Duration.ZERO).purgeBatchSize(7));

        awaitGone(before);
    }

    /** Waits until the events are gone, and a while longer for deliveries that must not be; then checks. */
    private void assertDeliveredAndGone(Collection<String> eventIds) {
        awaitGone(eventIds);
        Waiting.pause(SETTLE_TIME);
        deliveries.assertExactly(eventIds);
        assertThat(backend.counts()).isEmpty();
    }

    /** Waits for a purge that begins after this call: it deletes an event that no one delivers and that is done. */
    private void awaitPurge() {
        EventEnvelope later =
                event().availableAt(engine.now().plus(Duration.ofHours(1))).build();
        store(later);
        finish(List.of(later.eventId()));
        awaitGone(List.of(later.eventId()));
    }

    private void awaitGone(Collection<String> eventIds) {
        Set<String> left = new HashSet<>(eventIds);
        Waiting.until(size.patience(), () -> "events still there: " + left, () -> {
            left.removeIf(id -> engine.find(id).isEmpty());
            return left.isEmpty();
        });
    }
}
