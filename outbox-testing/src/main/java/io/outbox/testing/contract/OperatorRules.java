package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.dead.DeadEventManager;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadEventCapability;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules of dead events as operators see them and act on them, wherever the engine keeps them. */
abstract class OperatorRules extends EngineRules {

    private static final DeadLetterFilter ALL = DeadLetterFilter.of(null, null, null);
    private static final String BY = "ann";

    private DeadEventBackend dead;

    OperatorRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @BeforeEach
    final void openDeadEvents() {
        dead = backend.deadEvents().orElseThrow(() -> new AssertionError("operators cannot look into this engine"));
    }

    private boolean can(DeadEventCapability capability) {
        return dead.capabilities().contains(capability);
    }

    /** Stores that many dead events and returns their ids in order of creation. */
    private List<String> storeDead(int count, String error) {
        List<String> ids = storeDue(count);
        assertThat(backend.apply(
                        null,
                        ids.stream()
                                .map(id -> (Outcome) new Outcome.Dead(id, error))
                                .toList()))
                .hasSize(count);
        return ids;
    }

    private List<String> all(DeadLetterFilter filter, int limit) {
        return all(DeadLetterQuery.matching(filter, limit), limit);
    }

    private List<String> newestFirst(DeadLetterFilter filter, int limit) {
        List<String> ids = new ArrayList<>(
                all(DeadLetterQuery.matching(filter, limit).in(DeadLetterQuery.Order.NEWEST_FIRST), limit));
        Collections.reverse(ids);
        return ids;
    }

    private List<String> all(DeadLetterQuery query, int limit) {
        return letterIds(Pages.all(Pages.within(
                limit, after -> dead.query(after == null ? query : query.after(dead.decode(dead.encode(after)))))));
    }

    private static List<String> letterIds(List<DeadLetter> letters) {
        return letters.stream().map(DeadLetter::eventId).toList();
    }

    private static DeadLetterFilter about(EventFilter.Scope scope, String error) {
        return new DeadLetterFilter(
                null, new EventFilter(Set.of(), scope, null, null, new EventFilter.Failure(error, null)));
    }

    @Test
    void aQueueIsThereIfTheEngineSaysSo() {
        assertThat(dead.queue().isPresent()).isEqualTo(can(DeadEventCapability.QUEUE));
    }

    @Test
    void aDeadEventIsShownWithAllItsParts() {
        EventEnvelope event = event().aggregateType("Order")
                .aggregateId("o-1")
                .tenantId("acme")
                .header("trace", "abc")
                .build();
        store(event);
        backend.apply(null, List.of(new Outcome.Failed(event.eventId(), engine.now(), 0, 9, "first")));
        backend.apply(null, List.of(new Outcome.Dead(event.eventId(), "last")));
        String open = storeDue();

        DeadLetter letter = dead.find(List.of(event.eventId(), open, "unknown")).get(0);

        assertThat(dead.find(List.of(event.eventId(), open, "unknown"))).hasSize(1);
        assertThat(EventEnvelope.restore(letter.event()).payloadJson()).isEqualTo(event.payloadJson());
        assertThat(EventEnvelope.restore(letter.event()).headers()).isEqualTo(event.headers());
        assertThat(letter.event().createdAt()).isEqualTo(event.occurredAt());
        assertThat(letter.event().attempts()).isEqualTo(1);
        assertThat(letter.status()).isEqualTo(DlqStatus.MOVED);
        assertThat(letter.state().updatedBy()).isNull();
        assertThat(letter.failure().error()).isEqualTo("last");
        assertThat(letter.state().movedAt() != null).isEqualTo(can(DeadEventCapability.QUEUE));
        assertThat(letter.failure().firstAt() != null).isEqualTo(can(DeadEventCapability.HISTORY));
        assertThat(dead.attempts(event.eventId()))
                .extracting(FailedAttempt::error)
                .isEqualTo(can(DeadEventCapability.HISTORY) ? List.of("first", "last") : List.of());
    }

    @Test
    void pagesShowEachDeadEventOnceInOrderOfCreation() {
        List<String> ids = storeDead(23, "boom");
        storeDue(2);

        assertThat(all(ALL, 5)).isEqualTo(ids);
        assertThat(all(ALL, 23)).isEqualTo(ids);
        assertThat(newestFirst(ALL, 5)).isEqualTo(ids);
        assertThat(newestFirst(about(new EventFilter.Scope(null, null, null, null), "boom"), 5))
                .hasSameElementsAs(all(about(new EventFilter.Scope(null, null, null, null), "boom"), 5));
        assertThat(all(DeadLetterFilter.of(DlqStatus.MOVED, TYPE, null), 10)).isEqualTo(ids);
        assertThat(all(DeadLetterFilter.of(DlqStatus.RESOLVED, null, null), 10)).isEmpty();
        assertThat(dead.query(DeadLetterQuery.matching(ALL, 1))
                        .items()
                        .get(0)
                        .event()
                        .payloadJson())
                .as("payload in a list")
                .isNull();
        assertThatThrownBy(() -> dead.decode("nowhere")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void deadEventsAreFoundAndCountedByWhatTheyAreAboutAndFailedOf() {
        List<String> slow = new ArrayList<>(storeDead(3, "Timeout after 100 ms"));
        slow.addAll(storeDead(2, "Timeout after 2000 ms"));
        String other = store(event().aggregateType("Order")
                .aggregateId("o-1")
                .tenantId("acme")
                .build());
        backend.apply(null, List.of(new Outcome.Dead(other, "50% of_it")));
        String fingerprint = dead.find(slow.subList(0, 1)).get(0).failure().fingerprint();

        assertMatches(DeadLetterFilter.of(null, null, fingerprint), slow);
        assertMatches(DeadLetterFilter.of(DlqStatus.MOVED, TYPE, fingerprint), slow);
        assertMatches(DeadLetterFilter.of(null, "Nothing", fingerprint), List.of());
        assertMatches(about(EventFilter.Scope.ALL, "timeout"), slow);
        assertMatches(about(EventFilter.Scope.ALL, "50% OF_"), List.of(other));
        assertMatches(about(EventFilter.Scope.ALL, "5__"), List.of());
        assertMatches(about(new EventFilter.Scope(null, "Order", null, null), null), List.of(other));
        assertMatches(about(new EventFilter.Scope(null, null, "o-1", "acme"), null), List.of(other));
        assertMatches(about(new EventFilter.Scope(null, null, "o-1", "nobody"), null), List.of());
        assertThat(dead.countByState(4)).containsEntry(DlqStatus.MOVED, 4L).containsEntry(DlqStatus.RESOLVED, 0L);
        assertThat(dead.countByState(9)).containsEntry(DlqStatus.MOVED, 6L);
    }

    @Test
    void aTextIsLookedForInTheExceptionAndItsCausesAndNotInTheStackTrace() {
        String details = "\n\tat com.example.TimeoutFilter.call(A.java:1)\n\tAttempts:\n\t1 2026-03-01T10:15:30Z -";
        List<String> reset = storeDead(2, "a.B: Delivery failed\nCaused by: a.C: 100% reset" + details);
        List<String> slow = storeDead(1, "a.B: Delivery failed\nCaused by: a.D: timeout" + details);

        assertMatches(about(EventFilter.Scope.ALL, "100% RESET"), reset);
        assertMatches(about(EventFilter.Scope.ALL, "timeout"), slow);
        assertMatches(about(EventFilter.Scope.ALL, "attempts"), List.of());
        assertThat(dead.groups(10)).hasSize(2);
    }

    private void assertMatches(DeadLetterFilter filter, List<String> ids) {
        assertThat(all(filter, 2)).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(dead.count(filter)).isEqualTo(new Tally(ids.size(), true));
    }

    @Test
    void eventsThatFailedAlikeAreAGroupAndTheLargestComesFirst() {
        storeDead(1, "no such customer");
        storeDead(2, "Timeout after 100 ms");
        storeDead(1, "Timeout after 2000 ms");

        List<FailureGroup> groups = dead.groups(10);

        assertThat(groups).extracting(FailureGroup::count).containsExactly(3L, 1L);
        assertThat(groups).allMatch(FailureGroup::exact);
        assertThat(groups)
                .extracting(FailureGroup::lately)
                .as("failed in the last minutes, if the engine keeps that time")
                .isIn(List.of(3L, 1L), Arrays.asList(null, null));
        assertThat(groups).extracting(FailureGroup::eventType).containsOnly(TYPE);
        assertThat(groups.get(1).error()).isEqualTo("no such customer");
        assertThat(dead.groups(1)).containsExactly(groups.get(0));
    }

    @Test
    void aReturnedEventIsNewAndDueWithAllItsAttempts() {
        List<String> ids = storeDead(2, "boom");

        DeadLetterChange change = dead.returnToOutbox(ids);

        assertThat(change.isMade()).isTrue();
        assertThat(letterIds(change.changed())).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(stored(ids)).extracting(StoredEvent::status).containsOnly(EventStatus.NEW);
        assertThat(stored(ids)).extracting(StoredEvent::attempts).containsOnly(0);
        assertThat(rowIds(claim("a", 10))).containsExactlyElementsOf(ids);
        assertThat(dead.find(ids)).isEmpty();
    }

    @Test
    void aChangeIsMadeToAllOrToNone() {
        List<String> ids = storeDead(3, "boom");
        String open = storeDue();
        List<String> asked = List.of(ids.get(0), open, "unknown", ids.get(1));

        for (DeadLetterChange change : List.of(dead.returnToOutbox(asked), dead.delete(asked))) {
            assertThat(change.isMade()).isFalse();
            assertThat(change.missing()).containsExactlyInAnyOrder(open, "unknown");
            assertThat(change.changed()).isEmpty();
        }
        assertThat(all(ALL, 10)).isEqualTo(ids);
        assertThat(stored(open).status()).isEqualTo(EventStatus.NEW);
        assertThat(dead.returnToOutbox(List.of()).isMade()).isTrue();
    }

    @Test
    void aDeletedEventIsGone() {
        List<String> ids = storeDead(2, "boom");

        assertThat(dead.delete(ids.subList(0, 1)).isMade()).isTrue();

        assertThat(engine.find(ids.get(0))).isEmpty();
        assertThat(all(ALL, 10)).containsExactly(ids.get(1));
        assertThat(dead.delete(ids.subList(0, 1)).missing()).containsExactly(ids.get(0));
    }

    @Test
    void aReplacedEventIsKeptAndNotDead() {
        String id = storeDead(1, "boom").get(0);
        EventEnvelope replacement = event().payloadJson("{\"n\":2}").build();
        String taken = storeDue();

        assertThatThrownBy(() -> dead.replace(id, event().eventId(taken).build(), BY))
                .isInstanceOf(DuplicateEventException.class);
        assertThat(all(ALL, 10)).containsExactly(id);
        assertThat(dead.replace("unknown", replacement, BY).missing()).containsExactly("unknown");
        assertThat(engine.find(replacement.eventId())).isEmpty();

        assertThat(dead.replace(id, replacement, BY).isMade()).isTrue();

        assertThat(stored(replacement.eventId()).status()).isEqualTo(EventStatus.NEW);
        assertThat(all(DeadLetterFilter.of(DlqStatus.MOVED, null, null), 10)).isEmpty();
        assertThat(backend.countDead(null)).isZero();
        if (can(DeadEventCapability.RESOLVE)) {
            assertThat(dead.find(List.of(id)).get(0).status()).isEqualTo(DlqStatus.RESOLVED);
        } else {
            assertThat(stored(id).status()).isEqualTo(EventStatus.DONE);
            assertThat(stored(id).lastError()).contains(replacement.eventId(), "boom");
        }
        assertThat(dead.replace(id, event().build(), BY).isMade()).isFalse();
    }

    @Test
    void aDeadEventIsSettledWhereTheEngineCan() {
        List<String> ids = storeDead(2, "boom");

        if (can(DeadEventCapability.RESOLVE)) {
            assertThat(dead.resolve(ids.subList(0, 1), BY).isMade()).isTrue();
            assertThat(dead.find(ids.subList(0, 1)).get(0).state().updatedBy()).isEqualTo(BY);
            assertThat(dead.returnToOutbox(ids).refused()).isEqualTo(Map.of(ids.get(0), DlqStatus.RESOLVED));
            assertThat(all(DeadLetterFilter.of(DlqStatus.MOVED, null, null), 10))
                    .containsExactly(ids.get(1));
        } else {
            assertThatThrownBy(() -> dead.resolve(ids, BY)).isInstanceOf(UnsupportedOperationException.class);
            assertThat(all(ALL, 10)).isEqualTo(ids);
        }
    }

    @Test
    void theManagerOfDeadEventsSeesTheSameEvents() {
        List<String> ids = storeDead(5, "boom");
        DeadEventManager manager = new DeadEventManager(backend);

        assertThat(manager.query(null, null, 10))
                .extracting(OutboxEvent::eventId)
                .isEqualTo(all(ALL, 10));
        assertThat(manager.count(TYPE)).isEqualTo((int) dead.count(ALL).count());
        assertThat(manager.replay(ids.get(0))).isTrue();
        assertThat(dead.find(ids.subList(0, 1))).isEmpty();
        dead.delete(ids.subList(1, 2));
        assertThat(manager.query(null, null, 10))
                .extracting(OutboxEvent::eventId)
                .isEqualTo(ids.subList(2, 5));
    }

    /** Of operators that want the same events, in any order and by different actions, one gets each. */
    @Test
    void oneOfManyOperatorsGetsAnEvent() {
        for (int round = 0; round < 10; round++) {
            List<String> ids = storeDead(4, "boom");
            List<String> backwards = List.of(ids.get(3), ids.get(2), ids.get(1), ids.get(0));
            List<Callable<DeadLetterChange>> operators = List.of(
                    () -> dead.returnToOutbox(ids),
                    () -> dead.delete(backwards),
                    () -> dead.returnToOutbox(backwards),
                    () -> dead.delete(ids));

            List<DeadLetterChange> made = Parallel.run(operators).stream()
                    .filter(DeadLetterChange::isMade)
                    .toList();

            assertThat(made).hasSize(1);
            assertThat(letterIds(made.get(0).changed())).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(dead.find(ids)).isEmpty();
        }
    }
}
