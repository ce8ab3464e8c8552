package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InMemoryTransactionTest {

    private final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    private final EventEnvelope event = EventEnvelope.ofJson("T", "{}");
    private final List<TransactionEnd> ends = new ArrayList<>();

    @Test
    void closingWithoutACommitRollsBack() {
        try (InMemoryTransaction transaction = backend.begin()) {
            assertThat(transaction).isNotNull();
            write();
        }

        assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
        assertThat(backend.events()).isEmpty();
        assertThat(backend.isTransactionActive()).isFalse();
    }

    @Test
    void closingAfterACommitDoesNothing() {
        try (InMemoryTransaction transaction = backend.begin()) {
            write();
            transaction.commit();
        }

        assertThat(ends).containsExactly(TransactionEnd.COMMITTED);
        assertThat(backend.find(event.eventId())).isPresent();
    }

    @Test
    void aTransactionEndsOnce() {
        InMemoryTransaction transaction = backend.begin();
        transaction.rollback();

        assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(transaction::rollback).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aThreadHasOneTransactionAtATime() {
        try (InMemoryTransaction transaction = backend.begin()) {
            assertThat(transaction).isNotNull();
            assertThatThrownBy(backend::begin).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aTransactionBelongsToItsThread() {
        try (InMemoryTransaction transaction = backend.begin()) {
            CompletableFuture.runAsync(() -> {
                        assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
                        assertThat(backend.isTransactionActive()).isFalse();
                    })
                    .join();
        }
    }

    @Test
    void writingNeedsATransaction() {
        assertThatThrownBy(this::write).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCommitThatFindsAnIdTakenRollsBackAsAWhole() {
        EventEnvelope other = EventEnvelope.ofJson("T", "{}");
        InMemoryTransaction late = backend.begin();
        persist(other);
        write();
        CompletableFuture.runAsync(() -> backend.inTransaction(() -> persist(event)))
                .join();

        assertThatThrownBy(late::commit).isInstanceOf(DuplicateEventException.class);

        assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
        assertThat(backend.find(other.eventId())).isEmpty();
        assertThat(backend.isTransactionActive()).isFalse();
    }

    @Test
    void aFailingCallbackDisturbsNeitherTheCommitNorTheOthers() {
        InMemoryTransaction transaction = backend.begin();
        persist(event);
        backend.afterCompletion(end -> {
            throw new IllegalStateException("fails on purpose");
        });
        backend.afterCompletion(ends::add);

        transaction.commit();

        assertThat(ends).containsExactly(TransactionEnd.COMMITTED);
        assertThat(backend.events()).hasSize(1);
    }

    private void write() {
        persist(event);
        backend.afterCompletion(ends::add);
    }

    private void persist(EventEnvelope one) {
        backend.persist(List.of(NewEvent.unowned(one)));
    }
}
