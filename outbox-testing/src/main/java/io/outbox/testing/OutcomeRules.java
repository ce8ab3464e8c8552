package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxBackend.FetchRequest;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of outcomes: fenced, guarded by status, counted in the store, and safe to repeat. */
abstract class OutcomeRules extends ClaimRules {

    @Test
    void doneEndsTheEventAtItsTime() {
        String id = storeDue();
        claim("a", 10);
        Instant at = engine.now().minusSeconds(5);

        Map<String, EventStatus> applied = backend.apply("a", List.of(new Outcome.Done(id, at)));

        assertThat(applied).containsOnly(Map.entry(id, EventStatus.DONE));
        StoredEvent stored = stored(id);
        assertThat(stored.status()).isEqualTo(EventStatus.DONE);
        assertThat(stored.doneAt()).isEqualTo(at);
        assertThat(stored.lockedBy()).isNull();
        assertThat(stored.attempts()).isZero();
    }

    @Test
    void eventsDoneTogetherEndWithinTheTimesOfTheirBatch() {
        List<String> ids = storeDue(20);
        Instant first = engine.now().minusSeconds(30);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            outcomes.add(new Outcome.Done(ids.get(i), first.plusMillis(i)));
        }

        assertThat(backend.apply(null, outcomes)).hasSize(20);

        assertThat(ids).allSatisfy(id -> assertThat(stored(id).doneAt()).isBetween(first, first.plusMillis(19)));
        assertThat(backend.apply(null, outcomes)).hasSize(20);
    }

    @Test
    void aFailureCountsAnAttemptAndSchedulesTheNext() {
        String id = storeDue();
        claim("a", 10);
        Instant retryAt = engine.now().plusSeconds(30);

        Map<String, EventStatus> applied =
                backend.apply("a", List.of(new Outcome.Failed(id, retryAt, 0, 3, "first failure")));

        assertThat(applied).containsOnly(Map.entry(id, EventStatus.RETRY));
        StoredEvent stored = stored(id);
        assertThat(stored.status()).isEqualTo(EventStatus.RETRY);
        assertThat(stored.attempts()).isEqualTo(1);
        assertThat(stored.availableAt()).isEqualTo(retryAt);
        assertThat(stored.lastError()).isEqualTo("first failure");
        assertThat(stored.lockedBy()).isNull();
        assertThat(stored.doneAt()).isNull();
    }

    @Test
    void aDeferredEventComesAgainWithoutAnAttempt() {
        String id = storeDue();
        backend.apply(null, List.of(new Outcome.Failed(id, engine.now().minusSeconds(1), 0, 9, "once")));
        claim("a", 10);
        Instant until = engine.now().plusSeconds(30);

        Map<String, EventStatus> applied = backend.apply("a", List.of(new Outcome.Deferred(id, until)));

        assertThat(applied).containsOnly(Map.entry(id, EventStatus.NEW));
        StoredEvent stored = stored(id);
        assertThat(stored.status()).isEqualTo(EventStatus.NEW);
        assertThat(stored.attempts()).isEqualTo(1);
        assertThat(stored.availableAt()).isEqualTo(until);
        assertThat(stored.lockedBy()).isNull();
    }

    @Test
    void aDeadEventKeepsItsReasonAndCountsNoAttempt() {
        String id = storeDue();
        claim("a", 10);

        Map<String, EventStatus> applied = backend.apply("a", List.of(new Outcome.Dead(id, "no such customer")));

        assertThat(applied).containsOnly(Map.entry(id, EventStatus.DEAD));
        StoredEvent stored = stored(id);
        assertThat(stored.status()).isEqualTo(EventStatus.DEAD);
        assertThat(stored.lastError()).isEqualTo("no such customer");
        assertThat(stored.attempts()).isZero();
        assertThat(stored.lockedBy()).isNull();
    }

    @Test
    void theLastAttemptEndsTheEvent() {
        String id = storeDue();

        for (int attempt = 0; attempt < 3; attempt++) {
            Instant retryAt = engine.now().minusSeconds(10 - attempt);
            assertThat(rowIds(claim("a", 1))).containsExactly(id);
            EventStatus expected = attempt < 2 ? EventStatus.RETRY : EventStatus.DEAD;
            assertThat(backend.apply("a", List.of(new Outcome.Failed(id, retryAt, attempt, 3, "failure " + attempt))))
                    .containsOnly(Map.entry(id, expected));
        }

        StoredEvent stored = stored(id);
        assertThat(stored.attempts()).isEqualTo(3);
        assertThat(stored.lastError()).isEqualTo("failure 2");
    }

    @Test
    void theBudgetIsEvaluatedByTheStoresCountNotByTheCallers() {
        String id = storeDue();
        Instant base = engine.now().minusSeconds(10);

        for (int i = 0; i < 3; i++) {
            claim("a", 1);
            EventStatus expected = i < 2 ? EventStatus.RETRY : EventStatus.DEAD;
            assertThat(backend.apply("a", List.of(new Outcome.Failed(id, base.plusMillis(i), 0, 3, "stale " + i))))
                    .containsOnly(Map.entry(id, expected));
            assertThat(stored(id).attempts()).isEqualTo(i + 1);
        }
    }

    @Test
    void aBudgetOfOneEndsTheEventAtItsFirstFailure() {
        String id = storeDue();

        assertThat(backend.apply(null, List.of(new Outcome.Failed(id, engine.now(), 0, 1, "only chance"))))
                .containsOnly(Map.entry(id, EventStatus.DEAD));
        assertThat(stored(id).lastError()).isEqualTo("only chance");
    }

    @Test
    void failuresAtTheSameInstantAreCountedEach() {
        String id = storeDue();
        Instant at = engine.now().minusSeconds(5);

        for (int attempt = 0; attempt < 3; attempt++) {
            claim("a", 1);
            backend.apply("a", List.of(new Outcome.Failed(id, at, attempt, 9, "same error")));
        }

        assertThat(stored(id).attempts()).isEqualTo(3);
    }

    @Test
    void concurrentFailuresOfOneEventAreCountedEach() {
        String id = storeDue();
        Instant base = engine.now().minusSeconds(10);
        List<Callable<Map<String, EventStatus>>> failures = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Outcome failed = new Outcome.Failed(id, base.plusMillis(i), 0, 100, "failure " + i);
            failures.add(() -> backend.apply(null, List.of(failed)));
        }

        List<Map<String, EventStatus>> applied = inParallel(failures);

        assertThat(applied).allSatisfy(result -> assertThat(result).containsOnly(Map.entry(id, EventStatus.RETRY)));
        assertThat(stored(id).attempts()).isEqualTo(8);
    }

    @Test
    void onlyTheHolderCanCompleteAnEvent() {
        List<String> ids = storeDue(4);
        claim("a", 4);
        List<StoredEvent> before = ids.stream().map(this::stored).toList();

        assertThat(backend.apply("b", oneOfEach(ids))).isEmpty();

        assertThat(ids.stream().map(this::stored).toList()).isEqualTo(before);
    }

    @Test
    void anEventThatNoOneHoldsTakesNoOutcomeFromAnOwner() {
        List<String> ids = storeDue(4);
        List<StoredEvent> before = ids.stream().map(this::stored).toList();

        assertThat(backend.apply("a", oneOfEach(ids))).isEmpty();

        assertThat(ids.stream().map(this::stored).toList()).isEqualTo(before);
    }

    @Test
    void aLateOutcomeAfterATakeOverIsRefused() {
        List<String> ids = storeDue(4);
        claim("slow", SHORT_LEASE, 4);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));
        claim("heir", SHORT_LEASE, 4);
        List<StoredEvent> before = ids.stream().map(this::stored).toList();

        assertThat(backend.apply("slow", oneOfEach(ids))).isEmpty();

        assertThat(ids.stream().map(this::stored).toList()).isEqualTo(before);
        assertThat(backend.apply("heir", oneOfEach(ids))).hasSize(4);
    }

    @Test
    void anOutcomeAfterTheLeaseStandsIfNoOneTookTheEventOver() {
        String id = storeDue();
        claim("slow", SHORT_LEASE, 1);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(backend.apply("slow", List.of(new Outcome.Done(id, engine.now()))))
                .containsOnly(Map.entry(id, EventStatus.DONE));
    }

    @Test
    void withoutAnOwnerOutcomesCountWhoeverHoldsTheEvent() {
        List<String> ids = storeDue(4);
        claim("a", 4);

        assertThat(backend.apply(null, oneOfEach(ids))).hasSize(4);

        assertThat(ids).allSatisfy(id -> assertThat(stored(id).lockedBy()).isNull());
    }

    @Test
    void anOwnersOutcomeCountsForTheEventsItWrote() {
        List<EventEnvelope> events = dueEvents(4);
        store(events, "writer");

        assertThat(backend.apply("writer", oneOfEach(ids(events)))).hasSize(4);
    }

    @Test
    void doneIsTerminalForEveryLateOutcome() {
        assertTerminal(id -> new Outcome.Done(id, Instant.parse("2024-01-01T00:00:00Z")));
    }

    @Test
    void deadIsTerminalForEveryLateOutcome() {
        assertTerminal(id -> new Outcome.Dead(id, "the end"));
    }

    @Test
    void anExhaustedBudgetIsTerminalForEveryLateOutcome() {
        assertTerminal(id -> new Outcome.Failed(id, Instant.parse("2024-01-01T00:00:00Z"), 0, 1, "the end"));
    }

    private interface Ending {
        Outcome of(String eventId);
    }

    private void assertTerminal(Ending ending) {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(4);
            if (owner != null) {
                claim(owner, 4);
            }
            backend.apply(owner, ids.stream().map(ending::of).toList());
            List<StoredEvent> ended = ids.stream().map(this::stored).toList();
            assertThat(ended).noneMatch(StoredEvent::isPending);

            Map<String, EventStatus> applied = backend.apply(owner, oneOfEach(ids));

            assertThat(applied).isEmpty();
            assertThat(ids.stream().map(this::stored).toList()).isEqualTo(ended);
        }
    }

    @Test
    void repeatingOutcomesReportsTheSameAndChangesNothing() {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(7);
            if (owner != null) {
                claim(owner, 7);
            }
            Instant now = engine.now();
            List<Outcome> outcomes = new ArrayList<>(oneOfEach(ids));
            outcomes.add(new Outcome.Failed(ids.get(4), now, 0, 1, "exhausted"));
            outcomes.add(new Outcome.Failed(ids.get(5), now.plusSeconds(3600), 0, 9, null));
            outcomes.add(new Outcome.Dead(ids.get(6), null));

            Map<String, EventStatus> first = backend.apply(owner, outcomes);
            List<StoredEvent> after = ids.stream().map(this::stored).toList();
            Map<String, EventStatus> second = backend.apply(owner, outcomes);
            Map<String, EventStatus> third = backend.apply(owner, outcomes);

            assertThat(first).hasSize(7);
            assertThat(second).isEqualTo(first);
            assertThat(third).isEqualTo(first);
            assertThat(ids.stream().map(this::stored).toList()).isEqualTo(after);
        }
    }

    @Test
    void repeatingAStaleFailureDoesNotCountTwice() {
        String id = storeDue();
        Instant base = engine.now().minusSeconds(10);
        claim("a", 1);
        backend.apply("a", List.of(new Outcome.Failed(id, base, 0, 9, "first")));
        claim("a", 1);
        List<Outcome> stale = List.of(new Outcome.Failed(id, base.plusMillis(1), 0, 9, "second"));

        Map<String, EventStatus> first = backend.apply("a", stale);
        Map<String, EventStatus> again = backend.apply("a", stale);

        assertThat(again).isEqualTo(first).containsOnly(Map.entry(id, EventStatus.RETRY));
        assertThat(stored(id).attempts()).isEqualTo(2);
    }

    @Test
    void aFailureRepeatedAfterItsEventWasClaimedAgainDoesNotCountTwice() {
        String id = storeDue();
        claim("a", 1);
        List<Outcome> failed = List.of(new Outcome.Failed(id, engine.now().minusSeconds(1), 0, 9, "lost answer"));
        backend.apply("a", failed);
        claim("a", 1);

        backend.apply("a", failed);

        assertThat(stored(id).attempts()).isEqualTo(1);
    }

    @Test
    void unknownEventsAreIgnored() {
        String id = storeDue();
        List<Outcome> outcomes = new ArrayList<>(oneOfEach(List.of("u1", "u2", "u3", "u4")));
        outcomes.add(2, new Outcome.Done(id, engine.now()));

        assertThat(backend.apply(null, outcomes)).containsOnly(Map.entry(id, EventStatus.DONE));
        assertThat(backend.apply("a", oneOfEach(List.of("u1", "u2", "u3", "u4"))))
                .isEmpty();
    }

    @Test
    void noOutcomesAreNoWork() {
        assertThat(backend.apply(null, List.of())).isEmpty();
        assertThat(backend.apply("a", List.of())).isEmpty();
    }

    @Test
    void largeMixedBatchesAreAppliedEventByEvent() {
        int count = 500;
        List<String> ids = storeDue(count);
        claim("a", count - 50);
        claim("b", 50);
        Instant now = engine.now();
        List<Outcome> outcomes = new ArrayList<>();
        Map<String, EventStatus> expected = new HashMap<>();
        for (int i = 0; i < count; i++) {
            String id = ids.get(i);
            Outcome outcome = mixed(i, id, now);
            outcomes.add(outcome);
            if (i < count - 50) {
                expected.put(id, resultOf(i));
            }
        }

        Map<String, EventStatus> applied = backend.apply("a", outcomes);

        assertThat(applied).isEqualTo(expected);
        for (int i = 0; i < count; i++) {
            StoredEvent stored = stored(ids.get(i));
            boolean foreign = i >= count - 50;
            assertThat(stored.status()).isEqualTo(foreign ? EventStatus.NEW : resultOf(i));
            assertThat(stored.lockedBy()).isEqualTo(foreign ? "b" : null);
            if (!foreign && i % 5 == 1) {
                assertThat(stored.lastError()).isEqualTo("failure " + i);
                assertThat(stored.availableAt()).isEqualTo(now.plusSeconds(60 + i));
            }
            if (!foreign && i % 5 == 2) {
                assertThat(stored.availableAt()).isEqualTo(now.plusSeconds(7200 + i));
            }
            if (!foreign && i % 5 == 3) {
                assertThat(stored.lastError()).isEqualTo("reason " + i);
            }
        }
        assertThat(backend.apply("a", outcomes)).isEqualTo(expected);
    }

    private static Outcome mixed(int i, String id, Instant now) {
        return switch (i % 5) {
            case 0 -> new Outcome.Done(id, now);
            case 1 -> new Outcome.Failed(id, now.plusSeconds(60 + i), 0, 10, "failure " + i);
            case 2 -> new Outcome.Deferred(id, now.plusSeconds(7200 + i));
            case 3 -> new Outcome.Dead(id, "reason " + i);
            default -> new Outcome.Failed(id, now.plusSeconds(60), 0, 1, "exhausted " + i);
        };
    }

    private static EventStatus resultOf(int i) {
        return switch (i % 5) {
            case 0 -> EventStatus.DONE;
            case 1 -> EventStatus.RETRY;
            case 2 -> EventStatus.NEW;
            default -> EventStatus.DEAD;
        };
    }

    @Test
    void anEventFromTheFutureSurvivesARetryBeforeItsTime() {
        Instant occurred = engine.now().plus(Duration.ofHours(2));
        EventEnvelope event = event().occurredAt(occurred).build();
        store(List.of(event), "writer");
        Instant retryAt = engine.now().plusSeconds(1);

        assertThat(backend.apply("writer", List.of(new Outcome.Failed(event.eventId(), retryAt, 0, 5, "too early"))))
                .containsOnly(Map.entry(event.eventId(), EventStatus.RETRY));

        List<OutboxEvent> due = backend.fetch(new FetchRequest(occurred.plusSeconds(1), Duration.ZERO, 10, null, 0));
        assertThat(rowIds(due)).containsExactly(event.eventId());
        assertThat(due.get(0).availableAt())
                .isEqualTo(retryAt)
                .isBefore(due.get(0).createdAt());
        EventEnvelope restored = EventEnvelope.restore(due.get(0));
        assertThat(restored.occurredAt()).isEqualTo(occurred);
        assertThat(restored.payloadJson()).isEqualTo(event.payloadJson());
    }

    /** Returns one outcome of each kind for the four events. */
    private List<Outcome> oneOfEach(List<String> ids) {
        Instant now = engine.now();
        return List.of(
                new Outcome.Done(ids.get(0), now),
                new Outcome.Failed(ids.get(1), now.plusSeconds(60), 0, 9, "failed"),
                new Outcome.Deferred(ids.get(2), now.plusSeconds(60)),
                new Outcome.Dead(ids.get(3), "dead"));
    }
}
