package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of repetition: outcomes whose answer got lost are applied again, and nothing counts twice. */
abstract class RepetitionRules extends EngineRules {

    RepetitionRules(Callable<EngineUnderTest> engines) {
        super(engines);
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
            List<StoredEvent> after = stored(ids);
            Map<String, EventStatus> second = backend.apply(owner, outcomes);
            Map<String, EventStatus> third = backend.apply(owner, outcomes);

            assertThat(first).hasSize(7);
            assertThat(second).isEqualTo(first);
            assertThat(third).isEqualTo(first);
            assertThat(stored(ids)).isEqualTo(after);
        }
    }

    @Test
    void whatWasAppliedTogetherIsRecognisedOneByOne() {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(24);
            if (owner != null) {
                claim(owner, 24);
            }
            Instant first = engine.now().minusSeconds(30);
            List<Outcome> outcomes = new ArrayList<>(oneOfEach(ids.subList(0, 4)));
            for (int i = 4; i < ids.size(); i++) {
                outcomes.add(new Outcome.Done(ids.get(i), first.plusMillis(i / 3)));
            }
            Map<String, EventStatus> together = backend.apply(owner, outcomes);
            List<StoredEvent> after = stored(ids);
            assertThat(together).hasSize(24);

            Collections.reverse(outcomes);
            Map<String, EventStatus> oneByOne = new HashMap<>();
            outcomes.forEach(outcome -> oneByOne.putAll(backend.apply(owner, List.of(outcome))));

            assertThat(oneByOne).isEqualTo(together);
            assertThat(stored(ids)).isEqualTo(after);
        }
    }

    @Test
    void whatWasAppliedOneByOneIsRecognisedTogether() {
        List<String> ids = storeDue(12);
        claim("a", 12);
        Instant first = engine.now().minusSeconds(30);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            outcomes.add(new Outcome.Done(ids.get(i), first.plusMillis(i)));
        }
        outcomes.subList(0, 7).forEach(outcome -> backend.apply("a", List.of(outcome)));

        Map<String, EventStatus> together = backend.apply("a", outcomes);

        assertThat(together).hasSize(12);
        assertThat(together.values()).containsOnly(EventStatus.DONE);
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
    void aRepeatedFailureIsRecognisedThoughTheCallersCountWasTooHigh() {
        List<String> ids = storeDue(2);
        claim("a", 2);
        Instant retryAt = engine.now().plusSeconds(60);
        List<Outcome> failed = List.of(
                new Outcome.Failed(ids.get(0), retryAt, 5, 9, "too high"),
                new Outcome.Failed(ids.get(1), retryAt, 5, 1, "too high"));

        Map<String, EventStatus> first = backend.apply("a", failed);
        List<StoredEvent> after = stored(ids);

        assertThat(first)
                .containsOnly(Map.entry(ids.get(0), EventStatus.RETRY), Map.entry(ids.get(1), EventStatus.DEAD));
        assertThat(backend.apply("a", failed)).isEqualTo(first);
        assertThat(stored(ids)).isEqualTo(after);
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

    /**
     * The answer to a failure gets lost; another node fails the event too; the first claims it again, and repeats
     * itself.
     */
    @Test
    void aLateRepetitionDoesNotCountForANewerHoldOfTheSameNode() {
        List<String> ids = storeDue(2);
        Instant past = engine.now().minusSeconds(30);
        Lease before = new Lease("a", LONG_LEASE);
        backend.claim(ClaimRequest.first(before, backend.currentTime(), 2));
        List<Outcome> unanswered =
                List.of(new Outcome.Failed(ids.get(0), past, 0, 3, "first"), new Outcome.Deferred(ids.get(1), past));
        backend.apply(before.holder(), unanswered);
        claim("b", 2);
        backend.apply(
                "b",
                List.of(
                        new Outcome.Failed(ids.get(0), past.plusMillis(1), 1, 3, "second"),
                        new Outcome.Failed(ids.get(1), past.plusMillis(1), 0, 3, "second")));
        Lease after = before.withToken(1);
        backend.claim(ClaimRequest.first(after, backend.currentTime(), 2));
        List<StoredEvent> held = stored(ids);
        assertThat(held).extracting(StoredEvent::lockedBy).containsOnly(after.holder());

        assertThat(backend.apply(before.holder(), unanswered)).isEmpty();
        assertThat(backend.renew(before.holder(), ids)).isEmpty();
        assertThat(backend.release(before.holder(), ids)).isZero();

        assertThat(stored(ids)).isEqualTo(held);
        assertThat(stored(ids.get(0)).attempts()).isEqualTo(2);
        assertThat(backend.renew(after.holder(), ids)).containsExactlyInAnyOrderElementsOf(ids);
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
}
