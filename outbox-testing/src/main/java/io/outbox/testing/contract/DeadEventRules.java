package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of dead events: how they are listed, page by page, and how they are replayed. */
abstract class DeadEventRules extends EngineRules {

    private static final DeadQuery ALL = new DeadQuery(null, null, 10, null);

    DeadEventRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    private List<OutboxEvent> queryDead(String eventType, String aggregateType, int limit) {
        return backend.queryDead(new DeadQuery(eventType, aggregateType, limit, null))
                .items();
    }

    /** Stores that many dead events and returns their ids in order of creation. */
    private List<String> storeDead(int count) {
        List<String> ids = storeDue(count);
        List<Outcome> ends =
                ids.stream().map(id -> (Outcome) new Outcome.Dead(id, "killed")).toList();
        assertThat(backend.apply(null, ends)).hasSize(count);
        return ids;
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

    @Test
    void deadEventsAreListedInOrderOfCreation() {
        List<EventEnvelope> events = dueEvents(30);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(5));
        shuffled.forEach(event -> {
            store(event);
            kill(event.eventId());
        });

        assertThat(rowIds(queryDead(null, null, 100))).containsExactlyElementsOf(ids(events));
        assertThat(rowIds(queryDead(null, null, 7)))
                .containsExactlyElementsOf(ids(events).subList(0, 7));
    }

    @Test
    void deadEventsAreFilteredByTypeAndAggregateType() {
        String orderPlaced = storeDead("OrderPlaced", "Order");
        String orderPaid = storeDead("OrderPaid", "Order");
        String invoicePaid = storeDead("OrderPaid", "Invoice");
        storeDue();

        assertThat(rowIds(queryDead(null, null, 10))).containsExactlyInAnyOrder(orderPlaced, orderPaid, invoicePaid);
        assertThat(rowIds(queryDead("OrderPaid", null, 10))).containsExactlyInAnyOrder(orderPaid, invoicePaid);
        assertThat(rowIds(queryDead(null, "Order", 10))).containsExactlyInAnyOrder(orderPlaced, orderPaid);
        assertThat(rowIds(queryDead("OrderPaid", "Order", 10))).containsExactly(orderPaid);
        assertThat(queryDead("Nothing", null, 10)).isEmpty();
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

        OutboxEvent dead = queryDead("Full", null, 10).get(0);

        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(EventEnvelope.restore(dead).payloadJson()).isEqualTo(event.payloadJson());
        assertThat(EventEnvelope.restore(dead).headers()).isEqualTo(event.headers());
        assertThat(dead.aggregateType()).isEqualTo("Order");
        assertThat(dead.aggregateId()).isEqualTo("o-1");
        assertThat(dead.tenantId()).isEqualTo("t-1");
        assertThat(dead.createdAt()).isEqualTo(event.occurredAt());
    }

    // Pages

    @Test
    void pagesOfDeadEventsCoverEachOnceAndEnd() {
        List<String> ids = storeDead(103);

        List<OutboxEvent> seen = Pages.all(Pages.within(10, after -> backend.queryDead(ALL.after(after))));

        assertThat(rowIds(seen)).containsExactlyElementsOf(ids);
    }

    @Test
    void pagesGoOnBehindEventsThatWereReplayed() {
        List<String> ids = storeDead(30);
        List<OutboxEvent> seen = Pages.all(after -> {
            Page<OutboxEvent> page = backend.queryDead(ALL.after(after));
            assertThat(backend.replayDead(rowIds(page.items())))
                    .isEqualTo(page.items().size());
            return page;
        });

        assertThat(rowIds(seen)).containsExactlyElementsOf(ids);
        assertThat(backend.countDead(null)).isZero();
    }

    @Test
    void pagesEndThoughEveryEventDiesAgainAsSoonAsItIsReplayed() {
        List<String> ids = storeDead(60);
        List<OutboxEvent> seen = Pages.all(Pages.within(10, after -> {
            Page<OutboxEvent> page = backend.queryDead(ALL.after(after));
            backend.replayDead(rowIds(page.items()));
            page.items().forEach(event -> kill(event.eventId()));
            return page;
        }));

        for (String id : ids) {
            assertThat(Collections.frequency(rowIds(seen), id)).as(id).isBetween(1, 2);
        }
        assertThat(rowIds(seen)).isSubsetOf(ids);
        assertThat(backend.countDead(null)).isEqualTo(60);
    }

    @Test
    void pagesAreFilteredAsAWhole() {
        List<String> paid = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            storeDead("OrderPlaced", "Order");
            paid.add(storeDead("OrderPaid", "Order"));
            storeDead("OrderPaid", "Invoice");
        }
        DeadQuery query = new DeadQuery("OrderPaid", "Order", 4, null);

        List<OutboxEvent> seen = Pages.all(Pages.within(4, after -> backend.queryDead(query.after(after))));

        assertThat(rowIds(seen)).containsExactlyInAnyOrderElementsOf(paid);
    }

    // Replay

    @Test
    void aReplayedEventIsNewAndDueWithAllItsAttempts() {
        String id = storeDue();
        Instant far = engine.now().plus(Duration.ofDays(1));
        backend.apply(null, List.of(new Outcome.Failed(id, far, 0, 2, "one")));
        backend.apply(null, List.of(new Outcome.Failed(id, far.plusSeconds(1), 1, 2, "two")));
        assertThat(stored(id).status()).isEqualTo(EventStatus.DEAD);

        assertThat(backend.replayDead(List.of(id))).isEqualTo(1);

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

        backend.replayDead(List.of(id));

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
        List<StoredEvent> before = stored(ids);

        assertThat(ids)
                .allSatisfy(id -> assertThat(backend.replayDead(List.of(id))).isZero());
        assertThat(backend.replayDead(List.of("unknown"))).isZero();

        assertThat(stored(ids)).isEqualTo(before);
    }

    @Test
    void severalEventsAreReplayedAtOnceAndCountedExactly() {
        List<String> dead = storeDead(600);
        List<String> others = storeDue(2);
        backend.apply(null, List.of(new Outcome.Done(others.get(0), engine.now())));
        List<StoredEvent> before = stored(others);
        List<String> asked = new ArrayList<>(dead.subList(0, 599));
        asked.addAll(others);
        asked.add("unknown");
        asked.add(dead.get(0));

        assertThat(backend.replayDead(asked)).isEqualTo(599);

        assertThat(backend.countDead(null)).isEqualTo(1);
        assertThat(stored(others)).isEqualTo(before);
        assertThat(backend.replayDead(dead)).isEqualTo(1);
        assertThat(backend.replayDead(List.of())).isZero();
    }

    @Test
    void eventsAreReplayedOnceHoweverManyAsk() {
        List<String> dead = storeDead(20);
        List<Callable<Integer>> operators = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<String> asked = dead.subList(i, i + 12);
            operators.add(() -> backend.replayDead(asked));
        }

        int replayed =
                Parallel.run(operators).stream().mapToInt(Integer::intValue).sum();

        assertThat(replayed).isEqualTo(19);
        assertThat(backend.countDead(null)).isEqualTo(1);
    }
}
