package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.spi.NewEvent;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of writing: order, ids, and who holds a new event. */
abstract class PersistRules extends EngineRules {

    PersistRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void aStoredEventIsNewUnownedAndUntried() {
        String id = storeDue();

        StoredEvent stored = stored(id);

        assertThat(stored.status()).isEqualTo(EventStatus.NEW);
        assertThat(stored.attempts()).isZero();
        assertThat(stored.lockedBy()).isNull();
        assertThat(stored.doneAt()).isNull();
        assertThat(stored.lastError()).isNull();
        assertThat(stored.availableAt()).isEqualTo(stored.createdAt());
    }

    @Test
    void aBatchKeepsItsOrderEvenWithinOneMicrosecond() {
        Instant at = engine.now().minusSeconds(60);
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            events.add(event().occurredAt(at).build());
        }

        store(events, null);

        assertThat(rowIds(fetch(500))).containsExactlyElementsOf(ids(events));
        assertThat(rowIds(claim("a", 500))).containsExactlyElementsOf(ids(events));
    }

    // Ownership

    private Set<String> persist(List<NewEvent> events) {
        Set<String> owned = new HashSet<>();
        engine.inTransaction(() -> owned.addAll(backend.persist(events)));
        return owned;
    }

    @Test
    void eachEventIsHeldByTheOwnerThatItNames() {
        List<EventEnvelope> events = dueEvents(3);
        EventEnvelope delayed = event().occurredAt(engine.now().minusSeconds(60))
                .deliverAfter(Duration.ofSeconds(1))
                .build();

        Set<String> owned = persist(List.of(
                NewEvent.unowned(events.get(0)),
                new NewEvent(events.get(1), "a"),
                NewEvent.unowned(delayed),
                new NewEvent(events.get(2), "b")));

        assertThat(owned)
                .containsExactlyInAnyOrder(
                        events.get(1).eventId(), events.get(2).eventId());
        assertThat(stored(events.get(0).eventId()).lockedBy()).isNull();
        assertThat(stored(events.get(1).eventId()).lockedBy()).isEqualTo("a");
        assertThat(stored(events.get(2).eventId()).lockedBy()).isEqualTo("b");
        assertThat(stored(delayed.eventId()).lockedBy()).isNull();
        assertThat(rowIds(claim("other", 10)))
                .containsExactlyInAnyOrder(events.get(0).eventId(), delayed.eventId());
    }

    @Test
    void whatIsReportedAsOwnedIsExactlyWhatIsLocked() {
        Random random = new Random(19);
        List<NewEvent> events = new ArrayList<>();
        for (EventEnvelope event : dueEvents(100)) {
            events.add(new NewEvent(event, random.nextBoolean() ? "writer" : null));
        }

        Set<String> owned = persist(events);

        assertThat(owned).isNotEmpty().hasSizeLessThan(100);
        assertThat(events).allSatisfy(event -> {
            String id = event.event().eventId();
            assertThat(stored(id).lockedBy()).isEqualTo(event.ownerId());
            assertThat(owned.contains(id)).isEqualTo(event.ownerId() != null);
        });
        assertThat(backend.renew("writer", owned)).isEqualTo(owned);
    }

    @Test
    void whereNobodyWantsAnEventNoneIsOwned() {
        assertThat(persist(newEvents(dueEvents(1), null))).isEmpty();
        assertThat(persist(newEvents(dueEvents(5), null))).isEmpty();
    }

    @Test
    void aLockOfTheWriterBeginsAtTheStoresTime() {
        EventEnvelope event = aged(Duration.ofMinutes(10));

        Instant before = backend.currentTime();
        store(List.of(event), "writer");
        Instant after = backend.currentTime();

        assertThat(stored(event.eventId()).lockedAt()).isBetween(before, after);
    }

    @Test
    void anOwnedEventIsNotClaimableByAnyoneWhileTheLeaseLasts() {
        List<EventEnvelope> events = dueEvents(2);
        store(events.subList(0, 1), "writer");
        store(events.subList(1, 2), "writer");

        assertThat(stored(events.get(0).eventId()).lockedBy()).isEqualTo("writer");
        assertThat(claim("other", 10)).isEmpty();
        assertThat(claim("writer", 10)).isEmpty();
    }

    @Test
    void anOwnedBatchIsHeldAsAWhole() {
        List<EventEnvelope> events = dueEvents(20);

        assertThat(persist(newEvents(events, "writer"))).containsExactlyInAnyOrderElementsOf(ids(events));

        assertThat(claim("other", 100)).isEmpty();
        assertThat(backend.renew("writer", ids(events))).containsExactlyInAnyOrderElementsOf(ids(events));
    }

    @Test
    void anOwnedEventIsTakenOverOnceTheLeaseHasRunOut() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        store(List.of(event), "writer");

        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(rowIds(claim("other", SHORT_LEASE, 10))).containsExactly(event.eventId());
        assertThat(stored(event.eventId()).lockedBy()).isEqualTo("other");
    }

    @Test
    void eventsOfARolledBackTransactionCanBeWrittenAgainAndAreOwned() {
        if (backend.requiresActiveTransaction()) {
            for (String owner : new String[] {null, "writer"}) {
                List<EventEnvelope> events = dueEvents(3);
                rollBack(() -> backend.persist(newEvents(events, owner)));
                rollBack(() -> backend.persist(newEvents(events, "writer")));

                Set<String> owned = persist(newEvents(events, "writer"));

                assertThat(owned).containsExactlyInAnyOrderElementsOf(ids(events));
                assertThat(stored(ids(events)))
                        .allSatisfy(event -> assertThat(event.lockedBy()).isEqualTo("writer"));
                finish(ids(events));
            }
        }
    }

    // Ids that are taken

    @Test
    void anIdThatIsStoredAlreadyIsRefusedByItsName() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        store(List.of(event), "first");
        StoredEvent before = stored(event.eventId());
        EventEnvelope impostor = event().eventId(event.eventId())
                .payloadJson("{\"impostor\":true}")
                .build();

        for (String owner : new String[] {null, "second"}) {
            DuplicateEventException refusal =
                    catchThrowableOfType(DuplicateEventException.class, () -> store(List.of(impostor), owner));

            assertThat(refusal).as("refusal of an event of " + owner).isNotNull();
            assertThat(refusal.isRefusal()).isTrue();
            assertThat(refusal.eventIds()).containsExactly(event.eventId());
            assertThat(stored(event.eventId())).isEqualTo(before);
        }
    }

    @Test
    void aBatchWithAnIdThatIsStoredAlreadyIsRefusedAsAWhole() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        store(event);
        finish(List.of(event.eventId()));
        StoredEvent before = stored(event.eventId());

        for (String owner : new String[] {null, "writer"}) {
            List<EventEnvelope> batch = new ArrayList<>(dueEvents(4));
            batch.add(2, event);

            DuplicateEventException refusal =
                    catchThrowableOfType(DuplicateEventException.class, () -> store(batch, owner));

            assertThat(refusal).as("refusal of a batch of " + owner).isNotNull();
            assertThat(refusal.eventIds()).contains(event.eventId()).isSubsetOf(ids(batch));
            assertThat(stored(event.eventId())).isEqualTo(before);
            assertThat(fetch(10)).isEmpty();
        }
    }

    @Test
    void aBatchThatHasAnIdTwiceIsRefusedAsAWhole() {
        for (String owner : new String[] {null, "writer"}) {
            List<EventEnvelope> batch = new ArrayList<>(dueEvents(3));
            batch.add(batch.get(1));

            assertThatThrownBy(() -> store(batch, owner)).isInstanceOf(DuplicateEventException.class);

            assertThat(fetch(10)).isEmpty();
        }
    }
}
