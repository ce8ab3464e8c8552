package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.PendingEvents;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of looking at what waits: since when, until when, how much. */
abstract class BacklogRules extends EngineRules {

    private static final Instant LONG_AGO = Instant.parse("1000-01-01T00:00:00Z");

    BacklogRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void inAnEmptyStoreNothingWaits() {
        Instant now = engine.now();

        assertThat(backend.nextDueAt(now)).isEmpty();
        assertThat(backend.oldestDueAt(now)).isEmpty();
        assertThat(backend.pending(now)).isEmpty();
        assertThat(backend.counts()).isEmpty();
    }

    // The next

    @Test
    void theNextDueTimeIsThatOfTheFirstEventNotYetDue() {
        Instant now = engine.now();
        Instant soon = now.plus(Duration.ofMinutes(10));
        storeDue();
        store(event().availableAt(now.plus(Duration.ofMinutes(20))).build());
        assertThat(backend.nextDueAt(now)).contains(now.plus(Duration.ofMinutes(20)));

        String first = store(event().availableAt(soon).build());
        assertThat(backend.nextDueAt(now)).contains(soon);
        assertThat(backend.nextDueAt(soon)).contains(now.plus(Duration.ofMinutes(20)));

        backend.apply(null, List.of(new Outcome.Dead(first, "no more")));
        assertThat(backend.nextDueAt(now)).contains(now.plus(Duration.ofMinutes(20)));
        assertThat(backend.nextDueAt(now.plus(Duration.ofMinutes(20)))).isEmpty();
    }

    @Test
    void seenFromLongAgoTheNextIsTheFirstOfAllWhoeverHoldsIt() {
        assertThat(backend.nextDueAt(LONG_AGO)).isEmpty();
        store(event().availableAt(engine.now().plusSeconds(600)).build());
        Instant first = Instant.parse("1969-12-31T23:59:59Z");
        String id = store(event().occurredAt(first).build());

        assertThat(backend.nextDueAt(LONG_AGO)).contains(first);
        claim("a", 1);
        assertThat(backend.nextDueAt(LONG_AGO)).contains(first);
        backend.apply("a", List.of(new Outcome.Done(id, engine.now())));
        assertThat(backend.nextDueAt(LONG_AGO))
                .hasValueSatisfying(next -> assertThat(next).isAfter(engine.now()));
    }

    @Test
    void anEventMayBeDueInTheYear9999() {
        Instant far = Instant.parse("9999-01-01T00:00:00Z");

        String id = store(event().availableAt(far).build());

        assertThat(stored(id).availableAt()).isEqualTo(far);
        assertThat(backend.nextDueAt(engine.now())).contains(far);
        assertThat(backend.oldestDueAt(far)).contains(far);
        assertThat(backend.pending(far)).containsExactly(new PendingEvents(TYPE, 1, far));
    }

    @Test
    void theNextDueTimeCountsRetries() {
        Instant now = engine.now();
        String id = storeDue();
        Instant retryAt = now.plusSeconds(30);

        backend.apply(null, List.of(new Outcome.Failed(id, retryAt, 0, 9, "again")));

        assertThat(backend.nextDueAt(now)).contains(retryAt);
    }

    // The oldest

    @Test
    void theOldestDueTimeIsThatOfTheEventThatWaitsLongest() {
        Instant now = engine.now();
        store(event().occurredAt(now.minusSeconds(90))
                .availableAt(now.minusSeconds(10))
                .build());
        store(event().occurredAt(now.minusSeconds(30)).build());

        assertThat(backend.oldestDueAt(now)).contains(now.minusSeconds(30));
    }

    @Test
    void anEventThatSomebodyHoldsIsStillWaiting() {
        Instant now = engine.now();
        EventEnvelope written = event().occurredAt(now.minusSeconds(90)).build();
        store(List.of(written), "writer");
        String claimed = store(event().occurredAt(now.minusSeconds(60)).build());
        assertThat(rowIds(claim("a", 10))).containsExactly(claimed);
        store(event().occurredAt(now.minusSeconds(30)).build());

        assertThat(backend.oldestDueAt(now)).contains(now.minusSeconds(90));
        finish(List.of(written.eventId()));
        assertThat(backend.oldestDueAt(now)).contains(now.minusSeconds(60));
        finish(List.of(claimed));
        assertThat(backend.oldestDueAt(now)).contains(now.minusSeconds(30));
    }

    @Test
    void whatIsNotYetDueDoesNotWait() {
        Instant now = engine.now();
        Instant later = now.plus(Duration.ofHours(1));
        store(event().occurredAt(now.minusSeconds(90)).availableAt(later).build());
        String retried = store(event().occurredAt(now.minusSeconds(60)).build());
        backend.apply(null, List.of(new Outcome.Failed(retried, later.plusSeconds(1), 0, 9, "x")));

        assertThat(backend.oldestDueAt(now)).isEmpty();
        assertThat(backend.oldestDueAt(later.minusNanos(1_000))).isEmpty();
        assertThat(backend.oldestDueAt(later)).contains(later);
    }

    @Test
    void aRetryWaitsSinceItsDueTimeAndTheEndedNoMore() {
        Instant now = engine.now();
        List<String> ids = storeDue(3);
        backend.apply(
                null,
                List.of(
                        new Outcome.Done(ids.get(0), now),
                        new Outcome.Dead(ids.get(1), "x"),
                        new Outcome.Failed(ids.get(2), now.minusSeconds(5), 0, 9, "x")));

        assertThat(backend.oldestDueAt(now)).contains(now.minusSeconds(5));
    }

    // The first of each type

    private Map<String, Instant> look(List<DueType> known) {
        backend.prepareReadsByType();
        DueTypes found = backend.lookByType(known, LONG_AGO);
        assertThat(found.isComplete()).isTrue();
        Map<String, Instant> first = new HashMap<>();
        found.types().forEach(type -> first.put(type.eventType(), type.due()));
        assertThat(first).hasSameSizeAs(found.types());
        first.values().removeIf(Objects::isNull);
        return first;
    }

    @Test
    void aLookTellsTheFirstOfEachTypeWhoeverHoldsIt() {
        assertThat(look(List.of())).isEmpty();
        TypedEvents events = storeThreeTypes();
        storeLater();
        Instant now = engine.now();
        claim("a", 4);
        backend.apply(null, List.of(new Outcome.Done(events.of("C").get(0), now)));
        backend.apply("a", List.of(new Outcome.Failed(events.of("B").get(0), now.minusSeconds(1), 0, 9, "x")));

        Map<String, Instant> first = look(List.of());

        assertThat(first.remove("Later")).isAfter(now);
        assertThat(first)
                .isEqualTo(Map.of(
                        "A", events.all().get(0).occurredAt(),
                        "B", events.all().get(4).occurredAt(),
                        "C", events.all().get(5).occurredAt()));
    }

    @Test
    void aLookFindsTypesThatAreNewAmongThoseKnown() {
        Instant now = engine.now();
        Map<String, Instant> expected = new HashMap<>();
        List<DueType> known = List.of();
        for (String type : List.of("m", "c", "x", "a", "n", "M", "z", "\u00e4", "c-c", "d")) {
            Instant due = now.minusSeconds(expected.size());
            store(EventEnvelope.builder(type).occurredAt(due).payloadJson("{}").build());
            expected.put(type, due);

            DueTypes found = backend.lookByType(known, LONG_AGO);
            assertThat(look(known)).isEqualTo(expected);
            known = found.types();
        }
        assertThat(look(List.of())).as("all of them new").isEqualTo(expected);
    }

    @Test
    void aLookAtATypeFromATimeOnFindsWhatIsDueFromThenOn() {
        Instant now = engine.now();
        store(event().occurredAt(now.minusSeconds(90)).build());
        String last = store(event().occurredAt(now.minusSeconds(30)).build());
        List<DueType> known = List.of(new DueType(TYPE, now.minusSeconds(30)));

        assertThat(look(known).get(TYPE)).isBetween(now.minusSeconds(90), now.minusSeconds(30));
        finish(List.of(last));
        assertThat(look(List.of(new DueType(TYPE, LONG_AGO)))).containsEntry(TYPE, now.minusSeconds(90));
    }

    // Counts

    @Test
    void whatIsPendingIsCountedPerTypeWithItsOldest() {
        TypedEvents events = storeThreeTypes();
        Instant now = engine.now();
        storeLater();
        String done = events.of("A").get(0);
        String dead = events.of("A").get(1);
        String retried = events.of("B").get(0);
        backend.apply(null, List.of(new Outcome.Done(done, now)));
        backend.apply(null, List.of(new Outcome.Dead(dead, "x")));
        backend.apply(null, List.of(new Outcome.Failed(retried, now.minusSeconds(1), 0, 9, "x")));
        claim("a", 5);

        assertThat(backend.pending(now))
                .containsExactlyInAnyOrder(
                        new PendingEvents("A", 8, events.all().get(6).occurredAt()),
                        new PendingEvents("B", 10, events.all().get(4).occurredAt()),
                        new PendingEvents("C", 10, events.all().get(2).occurredAt()));
    }

    @Test
    void unfinishedEventsAreCountedByTypeWithThoseInProcessApart() {
        TypedEvents events = storeThreeTypes();
        storeLater();
        backend.apply(null, List.of(new Outcome.Done(events.of("A").get(0), engine.now())));
        backend.apply(null, List.of(new Outcome.Failed(events.of("B").get(9), engine.now(), 0, 9, "x")));
        backend.apply(null, List.of(new Outcome.Dead(events.of("C").get(0), "x")));
        claim("a", 4);

        assertThat(backend.counts())
                .containsExactlyInAnyOrder(
                        new EventCount("A", 8, 1),
                        new EventCount("B", 8, 2),
                        new EventCount("C", 8, 1),
                        new EventCount("Later", 1, 0));
    }

    private void storeLater() {
        store(EventEnvelope.builder("Later")
                .occurredAt(engine.now())
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build());
    }
}
