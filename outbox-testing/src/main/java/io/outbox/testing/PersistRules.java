package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Rules of writing: transactions, order, and who holds a new event. */
abstract class PersistRules extends EngineTest {

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
    void anEventIsVisibleToOthersOnlyAfterTheCommit() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        AtomicReference<List<OutboxEvent>> seenBefore = new AtomicReference<>();

        engine.inTransaction(() -> {
            backend.persist(List.of(event), null);
            seenBefore.set(onAnotherThread(() -> fetch(10)));
        });

        if (backend.requiresActiveTransaction()) {
            assertThat(seenBefore.get()).isEmpty();
        }
        assertThat(rowIds(fetch(10))).containsExactly(event.eventId());
    }

    @Test
    void aClaimDoesNotTakeAnEventBeforeItsCommit() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        AtomicReference<List<OutboxEvent>> claimedBefore = new AtomicReference<>();

        engine.inTransaction(() -> {
            backend.persist(List.of(event), null);
            if (backend.requiresActiveTransaction()) {
                claimedBefore.set(onAnotherThread(() -> claim("early", 10)));
            }
        });

        if (backend.requiresActiveTransaction()) {
            assertThat(claimedBefore.get()).isEmpty();
        }
        assertThat(rowIds(claim("late", 10))).containsExactly(event.eventId());
    }

    @Test
    void nothingOfARolledBackTransactionIsStored() {
        EventEnvelope event = aged(Duration.ofMinutes(1));

        if (backend.requiresActiveTransaction()) {
            rollBack(() -> backend.persist(List.of(event), "owner"));

            assertThat(engine.find(event.eventId())).isEmpty();
            assertThat(fetch(10)).isEmpty();
            assertThat(claim("other", Duration.ofMillis(1), 10)).isEmpty();
        }
    }

    @Test
    void aTransactionIsActiveOnlyInsideAndOnlyOnItsThread() {
        if (backend.requiresActiveTransaction()) {
            assertThat(backend.isTransactionActive()).isFalse();

            engine.inTransaction(() -> {
                assertThat(backend.isTransactionActive()).isTrue();
                assertThat(onAnotherThread(backend::isTransactionActive)).isFalse();
            });

            assertThat(backend.isTransactionActive()).isFalse();
        }
    }

    @Test
    void afterACommitItsCallbackRunsOnceOnThisThreadOutsideOfTheTransaction() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        List<Thread> committedOn = new ArrayList<>();
        AtomicInteger rolledBack = new AtomicInteger();
        AtomicReference<Boolean> activeInCallback = new AtomicReference<>();
        AtomicReference<List<OutboxEvent>> seenInCallback = new AtomicReference<>();

        engine.inTransaction(() -> {
            backend.persist(List.of(event), null);
            backend.afterCompletion(
                    () -> {
                        committedOn.add(Thread.currentThread());
                        activeInCallback.set(backend.isTransactionActive());
                        seenInCallback.set(onAnotherThread(() -> fetch(10)));
                    },
                    rolledBack::incrementAndGet);
        });

        assertThat(committedOn).containsExactly(Thread.currentThread());
        assertThat(rolledBack).hasValue(0);
        assertThat(rowIds(seenInCallback.get())).containsExactly(event.eventId());
        if (backend.requiresActiveTransaction()) {
            assertThat(activeInCallback.get()).isFalse();
        }
    }

    @Test
    void afterARollbackItsCallbackRunsOnce() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        AtomicInteger committed = new AtomicInteger();
        AtomicInteger rolledBack = new AtomicInteger();

        if (backend.requiresActiveTransaction()) {
            rollBack(() -> {
                backend.persist(List.of(event), null);
                backend.afterCompletion(committed::incrementAndGet, rolledBack::incrementAndGet);
            });

            assertThat(committed).hasValue(0);
            assertThat(rolledBack).hasValue(1);
        }
    }

    @Test
    void severalBatchesOfOneTransactionEndTogether() {
        List<EventEnvelope> events = dueEvents(3);
        List<String> committed = new ArrayList<>();

        engine.inTransaction(() -> {
            for (EventEnvelope event : events) {
                backend.persist(List.of(event), null);
                backend.afterCompletion(() -> committed.add(event.eventId()), () -> {});
            }
        });

        assertThat(committed).containsExactlyElementsOf(ids(events));
        assertThat(rowIds(fetch(10))).containsExactlyElementsOf(ids(events));
    }

    @Test
    void aTransactionBegunInACommitCallbackIsOneOfItsOwn() {
        EventEnvelope first = aged(Duration.ofMinutes(2));
        EventEnvelope second = aged(Duration.ofMinutes(1));

        engine.inTransaction(() -> {
            backend.persist(List.of(first), null);
            backend.afterCompletion(() -> engine.inTransaction(() -> backend.persist(List.of(second), null)), () -> {});
        });

        assertThat(rowIds(fetch(10))).containsExactly(first.eventId(), second.eventId());
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

    @Test
    void aStoredIdIsRefusedAndTheStoredEventStays() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        store(event);
        EventEnvelope impostor = event().eventId(event.eventId())
                .payloadJson("{\"impostor\":true}")
                .build();

        assertThatThrownBy(() -> store(impostor)).isInstanceOf(RuntimeException.class);

        assertThat(stored(event.eventId()).envelope().payloadJson()).isEqualTo(PAYLOAD);
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

        store(events, "writer");

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
    void aDelayedEventIsNeverOwned() {
        Instant occurred = engine.now().minusSeconds(60);
        EventEnvelope delayed =
                event().occurredAt(occurred).deliverAfter(Duration.ofSeconds(1)).build();
        EventEnvelope immediate = event().occurredAt(occurred).build();

        store(List.of(delayed, immediate), "writer");

        assertThat(stored(delayed.eventId()).lockedBy()).isNull();
        assertThat(stored(immediate.eventId()).lockedBy()).isEqualTo("writer");
        assertThat(rowIds(claim("other", 10))).containsExactly(delayed.eventId());
    }
}
