package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of outcomes: what each of them does to an event, and how attempts are counted. */
abstract class OutcomeRules extends EngineRules {

    OutcomeRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

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
    void eventsDoneTogetherEndEachAtItsOwnTime() {
        List<String> ids = storeDue(20);
        Instant first = engine.now().minusSeconds(30);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            outcomes.add(new Outcome.Done(ids.get(i), first.plusMillis(i / 3)));
        }

        assertThat(backend.apply(null, outcomes)).hasSize(20);

        for (int i = 0; i < ids.size(); i++) {
            assertThat(stored(ids.get(i)).doneAt()).isEqualTo(first.plusMillis(i / 3));
        }
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
    void aCountOfTheCallerThatIsTooLowEndsNothingLate() {
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
    void aCountOfTheCallerThatIsTooHighEndsNothingEarly() {
        String id = storeDue();
        Instant base = engine.now().minusSeconds(10);

        for (int i = 0; i < 3; i++) {
            claim("a", 1);
            EventStatus expected = i < 2 ? EventStatus.RETRY : EventStatus.DEAD;
            assertThat(backend.apply("a", List.of(new Outcome.Failed(id, base.plusMillis(i), 50, 3, "stale " + i))))
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
            failures.add(() -> applyAmongOthers(null, List.of(failed)));
        }

        List<Map<String, EventStatus>> applied = Parallel.run(failures);

        assertThat(applied).allSatisfy(result -> assertThat(result).containsOnly(Map.entry(id, EventStatus.RETRY)));
        assertThat(stored(id).attempts()).isEqualTo(8);
    }

    @Test
    void anEventFromTheFutureSurvivesARetryBeforeItsTime() {
        Instant occurred = engine.now().plus(Duration.ofHours(2));
        EventEnvelope event = event().occurredAt(occurred).build();
        store(List.of(event), "writer");
        Instant retryAt = engine.now().plusSeconds(1);

        assertThat(backend.apply("writer", List.of(new Outcome.Failed(event.eventId(), retryAt, 0, 5, "too early"))))
                .containsOnly(Map.entry(event.eventId(), EventStatus.RETRY));

        List<OutboxEvent> due = rows(backend.fetch(FetchRequest.first(occurred.plusSeconds(1), 10)));
        assertThat(rowIds(due)).containsExactly(event.eventId());
        assertThat(due.get(0).availableAt())
                .isEqualTo(retryAt)
                .isBefore(due.get(0).createdAt());
        EventEnvelope restored = EventEnvelope.restore(due.get(0));
        assertThat(restored.occurredAt()).isEqualTo(occurred);
        assertThat(restored.payloadJson()).isEqualTo(event.payloadJson());
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
}
