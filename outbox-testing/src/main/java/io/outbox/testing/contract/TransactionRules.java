package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.TransactionEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Rules of the caller's transaction: what becomes visible when, and who is told how it ended. */
abstract class TransactionRules extends EngineRules {

    TransactionRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void anEventIsVisibleToOthersOnlyAfterTheCommit() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        AtomicReference<List<OutboxEvent>> seenBefore = new AtomicReference<>();

        engine.inTransaction(() -> {
            backend.persist(newEvents(List.of(event), null));
            seenBefore.set(Parallel.onAnotherThread(() -> fetch(10)));
        });

        if (backend.requiresActiveTransaction()) {
            assertThat(seenBefore.get()).isEmpty();
        }
        assertThat(rowIds(fetch(10))).containsExactly(event.eventId());
    }

    @Test
    void aClaimDoesNotTakeAnEventBeforeItsCommit() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        List<OutboxEvent> claimedBefore = new ArrayList<>();

        engine.inTransaction(() -> {
            backend.persist(newEvents(List.of(event), null));
            if (backend.requiresActiveTransaction()) {
                claimedBefore.addAll(Parallel.onAnotherThread(() -> claim("early", 10)));
            }
        });

        assertThat(claimedBefore).isEmpty();
        assertThat(rowIds(claim("late", 10))).containsExactly(event.eventId());
    }

    @Test
    void whatIsWrittenWithoutATransactionIsVisibleAtOnce() {
        if (!backend.requiresActiveTransaction()) {
            EventEnvelope event = aged(Duration.ofMinutes(1));

            backend.persist(newEvents(List.of(event), null));

            assertThat(rowIds(Parallel.onAnotherThread(() -> fetch(10)))).containsExactly(event.eventId());
        }
    }

    @Test
    void nothingOfARolledBackTransactionIsStored() {
        if (backend.requiresActiveTransaction()) {
            EventEnvelope event = aged(Duration.ofMinutes(1));

            rollBack(() -> backend.persist(newEvents(List.of(event), "owner")));

            assertThat(engine.find(event.eventId())).isEmpty();
            assertThat(fetch(10)).isEmpty();
            assertThat(claim("other", Duration.ofMillis(1), 10)).isEmpty();
        }
    }

    @Test
    void aTransactionIsActiveOnlyInsideAndOnlyOnItsThread() {
        assertThat(backend.isTransactionActive()).isFalse();
        assertThat(backend.noTransactionReason()).isNotBlank();

        if (backend.requiresActiveTransaction()) {
            engine.inTransaction(() -> {
                assertThat(backend.isTransactionActive()).isTrue();
                assertThat(Parallel.onAnotherThread(backend::isTransactionActive))
                        .isFalse();
            });
        }

        assertThat(backend.isTransactionActive()).isFalse();
    }

    /** What a callback saw. */
    private record Seen(TransactionEnd end, Thread thread, boolean inTransaction, List<String> visible) {}

    private void tellAtTheEnd(List<Seen> calls) {
        backend.afterCompletion(end -> calls.add(new Seen(
                end,
                Thread.currentThread(),
                backend.isTransactionActive(),
                rowIds(Parallel.onAnotherThread(() -> fetch(10))))));
    }

    @Test
    void aCommitIsToldOnceOnItsThreadOutsideOfTheTransaction() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        List<Seen> calls = new ArrayList<>();

        engine.inTransaction(() -> {
            backend.persist(newEvents(List.of(event), null));
            tellAtTheEnd(calls);
            if (backend.requiresActiveTransaction()) {
                assertThat(calls).as("told before the end").isEmpty();
            }
        });

        assertThat(calls)
                .containsExactly(
                        new Seen(TransactionEnd.COMMITTED, Thread.currentThread(), false, List.of(event.eventId())));
    }

    @Test
    void aRollbackIsToldOnceOnItsThreadOutsideOfTheTransaction() {
        if (backend.requiresActiveTransaction()) {
            List<Seen> calls = new ArrayList<>();

            rollBack(() -> {
                backend.persist(newEvents(List.of(aged(Duration.ofMinutes(1))), null));
                tellAtTheEnd(calls);
            });

            assertThat(calls)
                    .containsExactly(new Seen(TransactionEnd.ROLLED_BACK, Thread.currentThread(), false, List.of()));
        }
    }

    @Test
    void whereNoTransactionIsNeededTheEndIsToldAtOnce() {
        if (!backend.requiresActiveTransaction()) {
            List<Seen> calls = new ArrayList<>();

            tellAtTheEnd(calls);

            assertThat(calls)
                    .containsExactly(new Seen(TransactionEnd.COMMITTED, Thread.currentThread(), false, List.of()));
        }
    }

    @Test
    void severalBatchesOfOneTransactionEndTogetherAndInOrder() {
        List<EventEnvelope> events = dueEvents(3);
        List<String> committed = new ArrayList<>();

        engine.inTransaction(() -> {
            for (EventEnvelope event : events) {
                backend.persist(newEvents(List.of(event), null));
                backend.afterCompletion(end -> committed.add(event.eventId() + " " + end));
            }
        });

        assertThat(committed)
                .containsExactlyElementsOf(ids(events).stream()
                        .map(id -> id + " " + TransactionEnd.COMMITTED)
                        .toList());
        assertThat(rowIds(fetch(10))).containsExactlyElementsOf(ids(events));
    }

    @Test
    void aTransactionBegunWhenAnotherHasEndedIsOneOfItsOwn() {
        EventEnvelope first = aged(Duration.ofMinutes(2));
        EventEnvelope second = aged(Duration.ofMinutes(1));

        engine.inTransaction(() -> {
            backend.persist(newEvents(List.of(first), null));
            backend.afterCompletion(end -> store(second));
        });

        assertThat(rowIds(fetch(10))).containsExactly(first.eventId(), second.eventId());
    }

    @Test
    void whatWasRolledBackCanBeWrittenAgainAsSoonAsTheRollbackIsTold() {
        if (backend.requiresActiveTransaction()) {
            EventEnvelope event = aged(Duration.ofMinutes(1));

            rollBack(() -> {
                backend.persist(newEvents(List.of(event), "owner"));
                backend.afterCompletion(end -> store(List.of(event), "owner"));
            });

            assertThat(stored(event.eventId()).lockedBy()).isEqualTo("owner");
        }
    }
}
