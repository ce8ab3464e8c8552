package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Rules of events that are not kept when they are done: nothing is deleted but an open event in the caller's hands, an
 * event that is gone counts as done, and dead ones stay.
 */
abstract class DeletionRules extends EngineRules {

    DeletionRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void anEventThatIsNotKeptIsDeletedWhenItIsDone() {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(3);
            String retry = ids.get(2);
            backend.apply(null, List.of(new Outcome.Failed(retry, engine.now().minusSeconds(1), 0, 9, "once")));
            if (owner != null) {
                claim(owner, 3);
            }

            assertThat(backend.apply(owner, gone(ids))).isEqualTo(allDone(ids));

            assertGone(ids);
            assertThat(fetch(10)).isEmpty();
            assertThat(backend.counts()).isEmpty();
        }
    }

    @Test
    void onlyTheHolderDeletesAnEvent() {
        List<String> free = storeDue(2);
        List<String> held = storeDue(4);
        backend.apply(
                null, List.of(new Outcome.Deferred(free.get(0), engine.now().plusSeconds(600))));
        backend.apply(
                null, List.of(new Outcome.Deferred(free.get(1), engine.now().plusSeconds(600))));
        claim("a", 4);
        List<String> all = new ArrayList<>(free);
        all.addAll(held);
        List<StoredEvent> before = stored(all);

        assertThat(backend.apply("b", gone(all))).isEmpty();

        assertThat(stored(all)).isEqualTo(before);
    }

    @Test
    void finishedEventsAreNotDeleted() {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(3);
            if (owner != null) {
                claim(owner, 3);
            }
            Instant at = engine.now().minusSeconds(5);
            backend.apply(
                    owner,
                    List.of(
                            new Outcome.Done(ids.get(0), at),
                            new Outcome.Dead(ids.get(1), "the end"),
                            new Outcome.Failed(ids.get(2), at, 0, 1, "used up")));
            List<StoredEvent> before = stored(ids);

            assertThat(backend.apply(owner, gone(ids))).isEmpty();

            assertThat(stored(ids)).isEqualTo(before);
        }
    }

    @Test
    void repeatingDeletionsReportsTheSame() {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(6);
            if (owner != null) {
                claim(owner, 6);
            }
            List<Outcome> first = gone(ids.subList(0, 4));
            List<Outcome> more = gone(ids);

            assertThat(backend.apply(owner, first)).isEqualTo(allDone(ids.subList(0, 4)));
            assertThat(backend.apply(owner, first)).isEqualTo(allDone(ids.subList(0, 4)));
            assertThat(backend.apply(owner, more)).isEqualTo(allDone(ids));
            Map<String, EventStatus> oneByOne = new HashMap<>();
            more.forEach(outcome -> oneByOne.putAll(backend.apply(owner, List.of(outcome))));

            assertThat(oneByOne).isEqualTo(allDone(ids));
            assertGone(ids);
        }
    }

    @Test
    void aLateDeletionAfterATakeOverIsRefusedWhileTheHeirWorksAndStandsOnceItHasFinished() {
        List<String> ids = storeDue(4);
        claim("slow", SHORT_LEASE, 4);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));
        claim("heir", SHORT_LEASE, 4);
        List<StoredEvent> before = stored(ids);

        assertThat(backend.apply("slow", gone(ids))).isEmpty();
        assertThat(stored(ids)).isEqualTo(before);

        assertThat(backend.apply("heir", gone(ids))).isEqualTo(allDone(ids));
        assertThat(backend.apply("slow", gone(ids))).isEqualTo(allDone(ids));
    }

    @Test
    void otherOutcomesOfAnEventThatIsGoneAreRefused() {
        List<String> ids = storeDue(4);
        claim("slow", SHORT_LEASE, 4);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));
        claim("heir", SHORT_LEASE, 4);
        backend.apply("heir", gone(ids));

        assertThat(backend.apply("slow", oneOfEach(ids))).isEmpty();
        assertThat(backend.apply(null, oneOfEach(ids))).isEmpty();

        assertGone(ids);
    }

    @Test
    void aHeldEventThatIsGoneIsNeitherRenewedNorReleasedNorClaimed() {
        List<String> ids = storeDue(3);
        claim("a", 3);
        backend.apply("a", gone(ids));

        assertThat(backend.renew("a", ids)).isEmpty();
        assertThat(backend.release("a", ids)).isZero();
        assertThat(claim("b", 10)).isEmpty();
        assertThat(backend.doneAmong(ids)).isEmpty();
    }

    @Test
    void aReplayedEventIsDeletedWhenItIsDone() {
        String id = storeDue();
        backend.apply(null, List.of(new Outcome.Dead(id, "not yet")));
        assertThat(backend.replayDead(List.of(id))).isOne();

        assertThat(backend.apply(null, gone(List.of(id)))).isEqualTo(allDone(List.of(id)));

        assertGone(List.of(id));
        assertThat(backend.countDead(null)).isZero();
    }

    @Test
    void largeMixedBatchesDeleteWhatIsNotKeptAndNothingElse() {
        int count = 600;
        List<String> ids = storeDue(count);
        claim("a", count - 60);
        claim("b", 60);
        Instant at = engine.now();
        List<Outcome> outcomes = new ArrayList<>();
        Map<String, EventStatus> expected = new HashMap<>();
        for (int i = 0; i < count; i++) {
            String id = ids.get(i);
            outcomes.add(
                    switch (i % 10) {
                        case 0 -> new Outcome.Done(id, at);
                        case 1 -> new Outcome.Dead(id, "dead " + i);
                        default -> new Outcome.Done(id, at.plusMillis(i), false);
                    });
            if (i < count - 60) {
                expected.put(id, i % 10 == 1 ? EventStatus.DEAD : EventStatus.DONE);
            }
        }

        assertThat(backend.apply("a", outcomes)).isEqualTo(expected);
        assertThat(backend.apply("a", outcomes)).isEqualTo(expected);

        for (int i = 0; i < count; i++) {
            boolean foreign = i >= count - 60;
            assertThat(engine.find(ids.get(i)).isPresent()).isEqualTo(foreign || i % 10 < 2);
        }
        assertThat(backend.countDead(null)).isEqualTo((count - 60) / 10);
    }

    @Test
    void concurrentDeletionsOfTheSameEventsAllStand() {
        List<String> ids = storeDue(100);
        List<Callable<Map<String, EventStatus>>> deletions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            deletions.add(() -> applyAmongOthers(null, gone(ids)));
        }

        assertThat(Parallel.run(deletions)).allMatch(allDone(ids)::equals);

        assertGone(ids);
    }

    private List<Outcome> gone(List<String> ids) {
        Instant at = engine.now();
        return ids.stream().map(id -> (Outcome) new Outcome.Done(id, at, false)).toList();
    }

    private static Map<String, EventStatus> allDone(List<String> ids) {
        return ids.stream().collect(Collectors.toMap(id -> id, id -> EventStatus.DONE));
    }

    private void assertGone(List<String> ids) {
        assertThat(ids).allSatisfy(id -> assertThat(engine.find(id)).isEmpty());
    }
}
