package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules for operators: purge, dead events and their replay. */
abstract class OperatorRules extends OutcomeRules {

    @Test
    void purgeDeletesWhatWasDoneBeforeTheGivenTime() {
        List<String> ids = storeDue(3);
        Instant cutoff = engine.now();
        backend.apply(null, List.of(new Outcome.Done(ids.get(0), cutoff.minusNanos(1_000))));
        backend.apply(null, List.of(new Outcome.Done(ids.get(1), cutoff)));
        backend.apply(null, List.of(new Outcome.Done(ids.get(2), cutoff.plusSeconds(1))));

        assertThat(backend.purge(cutoff, 100)).isEqualTo(1);

        assertThat(engine.find(ids.get(0))).isEmpty();
        assertThat(engine.find(ids.get(1))).isPresent();
        assertThat(engine.find(ids.get(2))).isPresent();
        assertThat(backend.purge(cutoff, 100)).isZero();
    }

    @Test
    void purgeJudgesDeadEventsByTheirCreation() {
        String old = store(aged(Duration.ofHours(2)));
        String young = store(aged(Duration.ofMinutes(5)));
        backend.apply(null, List.of(new Outcome.Dead(old, "x"), new Outcome.Failed(young, engine.now(), 0, 1, "x")));

        assertThat(backend.purge(engine.now().minus(Duration.ofHours(1)), 100)).isEqualTo(1);

        assertThat(engine.find(old)).isEmpty();
        assertThat(stored(young).status()).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void purgeCanLeaveDeadEvents() {
        List<String> ids = storeDue(3);
        Instant longAgo = engine.now().minus(Duration.ofDays(1));
        backend.apply(null, List.of(new Outcome.Done(ids.get(0), longAgo), new Outcome.Done(ids.get(1), longAgo)));
        kill(ids.get(2));

        assertThat(backend.purgeDone(longAgo, 10)).isZero();
        assertThat(backend.purgeDone(engine.now(), 1)).isEqualTo(1);
        assertThat(backend.purgeDone(engine.now(), 10)).isEqualTo(1);
        assertThat(backend.purgeDone(engine.now(), 10)).isZero();

        assertThat(stored(ids.get(2)).status()).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void unfinishedEventsAreCountedByTypeWithThoseInProcessApart() {
        TypedEvents events = storeThreeTypes();
        store(EventEnvelope.builder("Later")
                .occurredAt(engine.now())
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build());
        backend.apply(null, List.of(new Outcome.Done(events.of("A").get(0), engine.now())));
        backend.apply(null, List.of(new Outcome.Failed(events.of("B").get(9), engine.now(), 0, 9, "x")));
        kill(events.of("C").get(0));
        claim("a", 4);

        assertThat(backend.counts())
                .containsExactlyInAnyOrder(
                        new EventCount("A", 8, 1),
                        new EventCount("B", 8, 2),
                        new EventCount("C", 8, 1),
                        new EventCount("Later", 1, 0));
    }

    @Test
    void purgeNeverTouchesPendingEvents() {
        String fresh = store(aged(Duration.ofDays(30)));
        String retry = store(aged(Duration.ofDays(30)));
        String held = store(aged(Duration.ofDays(30)));
        backend.apply(null, List.of(new Outcome.Failed(retry, engine.now().minusSeconds(1), 0, 9, "x")));
        claim("a", 1);

        assertThat(backend.purge(engine.now().plus(Duration.ofDays(1)), 100)).isZero();

        assertThat(List.of(fresh, retry, held))
                .allSatisfy(id -> assertThat(engine.find(id)).isPresent());
    }

    @Test
    void purgeKeepsToItsLimit() {
        List<String> ids = storeDue(25);
        Instant longAgo = engine.now().minus(Duration.ofDays(1));
        backend.apply(
                null,
                ids.stream().map(id -> (Outcome) new Outcome.Done(id, longAgo)).toList());

        assertThat(backend.purge(engine.now(), 10)).isEqualTo(10);
        assertThat(backend.purge(engine.now(), 10)).isEqualTo(10);
        assertThat(backend.purge(engine.now(), 10)).isEqualTo(5);
        assertThat(backend.purge(engine.now(), 10)).isZero();
    }

    @Test
    void concurrentPurgesDeleteEachEventOnce() {
        List<String> ids = storeDue(200);
        Instant longAgo = engine.now().minus(Duration.ofDays(1));
        backend.apply(
                null,
                ids.stream().map(id -> (Outcome) new Outcome.Done(id, longAgo)).toList());
        List<Callable<Integer>> purgers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            purgers.add(() -> {
                int total = 0;
                while (engine.find(ids.get(0)).isPresent()
                        || engine.find(ids.get(199)).isPresent()) {
                    total += backend.purge(engine.now(), 10);
                }
                return total;
            });
        }

        int deleted = inParallel(purgers).stream().mapToInt(Integer::intValue).sum();

        assertThat(deleted + backend.purge(engine.now(), 1000)).isEqualTo(200);
    }

    @Test
    void deadEventsAreListedInOrderOfCreation() {
        List<EventEnvelope> events = dueEvents(30);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(5));
        shuffled.forEach(event -> {
            store(event);
            kill(event.eventId());
        });

        assertThat(rowIds(backend.queryDead(null, null, 100))).containsExactlyElementsOf(ids(events));
        assertThat(rowIds(backend.queryDead(null, null, 7)))
                .containsExactlyElementsOf(ids(events).subList(0, 7));
    }

    @Test
    void deadEventsAreFilteredByTypeAndAggregateType() {
        String orderPlaced = storeDead("OrderPlaced", "Order");
        String orderPaid = storeDead("OrderPaid", "Order");
        String invoicePaid = storeDead("OrderPaid", "Invoice");
        storeDue();

        assertThat(rowIds(backend.queryDead(null, null, 10)))
                .containsExactlyInAnyOrder(orderPlaced, orderPaid, invoicePaid);
        assertThat(rowIds(backend.queryDead("OrderPaid", null, 10))).containsExactlyInAnyOrder(orderPaid, invoicePaid);
        assertThat(rowIds(backend.queryDead(null, "Order", 10))).containsExactlyInAnyOrder(orderPlaced, orderPaid);
        assertThat(rowIds(backend.queryDead("OrderPaid", "Order", 10))).containsExactly(orderPaid);
        assertThat(backend.queryDead("Nothing", null, 10)).isEmpty();
        assertThat(backend.countDead(null)).isEqualTo(3);
        assertThat(backend.countDead("OrderPaid")).isEqualTo(2);
        assertThat(backend.countDead("Nothing")).isZero();
    }

    @Test
    void aDeadEventIsListedWithAllItsParts() {
        EventEnvelope event = EventEnvelope.builder("Full")
                .occurredAt(engine.now().minusSeconds(60))
                .aggregateType("Order")
                .aggregateId("o-1")
                .tenantId("t-1")
                .header("trace", "abc")
                .payloadJson("{\"a\":\"ä\"}")
                .build();
        store(event);
        Instant retryAt = engine.now().minusSeconds(1);
        backend.apply(null, List.of(new Outcome.Failed(event.eventId(), retryAt, 0, 9, "x")));
        kill(event.eventId());

        OutboxEvent dead = backend.queryDead("Full", null, 10).get(0);

        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(EventEnvelope.restore(dead).payloadJson()).isEqualTo(event.payloadJson());
        assertThat(EventEnvelope.restore(dead).headers()).isEqualTo(event.headers());
        assertThat(dead.aggregateType()).isEqualTo("Order");
        assertThat(dead.aggregateId()).isEqualTo("o-1");
        assertThat(dead.tenantId()).isEqualTo("t-1");
        assertThat(dead.createdAt()).isEqualTo(event.occurredAt());
    }

    @Test
    void aReplayedEventIsNewAndDueWithAllItsAttempts() {
        String id = storeDue();
        Instant far = engine.now().plus(Duration.ofDays(1));
        backend.apply(null, List.of(new Outcome.Failed(id, far, 0, 2, "one")));
        backend.apply(null, List.of(new Outcome.Failed(id, far.plusSeconds(1), 1, 2, "two")));
        assertThat(stored(id).status()).isEqualTo(EventStatus.DEAD);

        assertThat(backend.replayDead(id)).isEqualTo(1);

        StoredEvent replayed = stored(id);
        assertThat(replayed.status()).isEqualTo(EventStatus.NEW);
        assertThat(replayed.attempts()).isZero();
        assertThat(replayed.lockedBy()).isNull();
        assertThat(replayed.doneAt()).isNull();
        assertThat(backend.countDead(null)).isZero();
        assertThat(rowIds(claim("a", 10))).containsExactly(id);
        assertThat(backend.apply("a", List.of(new Outcome.Failed(id, far.plusSeconds(2), 0, 2, "three"))))
                .containsEntry(id, EventStatus.RETRY);
    }

    @Test
    void aDelayedEventThatDiedIsDueOnceReplayed() {
        String id =
                store(event().availableAt(engine.now().plus(Duration.ofDays(1))).build());
        kill(id);

        backend.replayDead(id);

        assertThat(rowIds(claim("a", 10))).containsExactly(id);
    }

    @Test
    void onlyDeadEventsCanBeReplayed() {
        List<String> ids = storeDue(3);
        backend.apply(
                null,
                List.of(
                        new Outcome.Done(ids.get(0), engine.now()),
                        new Outcome.Failed(ids.get(1), engine.now(), 0, 9, "x")));
        List<StoredEvent> before = ids.stream().map(this::stored).toList();

        assertThat(ids).allSatisfy(id -> assertThat(backend.replayDead(id)).isZero());
        assertThat(backend.replayDead("unknown")).isZero();

        assertThat(ids.stream().map(this::stored).toList()).isEqualTo(before);
    }

    @Test
    void anEventIsReplayedOnceHoweverManyAsk() {
        String id = storeDue();
        kill(id);
        List<Callable<Integer>> operators = Collections.nCopies(8, () -> backend.replayDead(id));

        int replayed =
                inParallel(operators).stream().mapToInt(Integer::intValue).sum();

        assertThat(replayed).isEqualTo(1);
    }

    private String storeDead(String eventType, String aggregateType) {
        String id = store(EventEnvelope.builder(eventType)
                .aggregateType(aggregateType)
                .occurredAt(engine.now().minusSeconds(60))
                .payloadJson("{}")
                .build());
        kill(id);
        return id;
    }

    private void kill(String id) {
        assertThat(backend.apply(null, List.of(new Outcome.Dead(id, "killed")))).containsEntry(id, EventStatus.DEAD);
    }
}
