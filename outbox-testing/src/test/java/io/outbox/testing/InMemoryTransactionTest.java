package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.spi.OutboxBackendException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryTransactionTest {

    private final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    private final EventEnvelope event = EventEnvelope.ofJson("T", "{}");
    private final List<String> ends = new ArrayList<>();

    @Test
    void closingWithoutACommitRollsBack() {
        try (InMemoryTransaction transaction = backend.begin()) {
            assertThat(transaction).isNotNull();
            write();
        }

        assertThat(ends).containsExactly("rolled back");
        assertThat(backend.events()).isEmpty();
        assertThat(backend.isTransactionActive()).isFalse();
    }

    @Test
    void closingAfterACommitDoesNothing() {
        try (InMemoryTransaction transaction = backend.begin()) {
            write();
            transaction.commit();
        }

        assertThat(ends).containsExactly("committed");
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
            EngineTest.onAnotherThread(() -> {
                assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
                assertThat(backend.isTransactionActive()).isFalse();
                return null;
            });
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
        backend.persist(List.of(other), null);
        write();
        EngineTest.onAnotherThread(() -> {
            backend.inTransaction(() -> backend.persist(List.of(event), null));
            return null;
        });

        assertThatThrownBy(late::commit).isInstanceOf(OutboxBackendException.class);

        assertThat(ends).containsExactly("rolled back");
        assertThat(backend.find(other.eventId())).isEmpty();
        assertThat(backend.isTransactionActive()).isFalse();
    }

    @Test
    void aFailingCallbackDisturbsNeitherTheCommitNorTheOthers() {
        InMemoryTransaction transaction = backend.begin();
        backend.persist(List.of(event), null);
        backend.afterCompletion(
                () -> {
                    throw new IllegalStateException("fails on purpose");
                },
                () -> {});
        backend.afterCompletion(() -> ends.add("committed"), () -> {});

        transaction.commit();

        assertThat(ends).containsExactly("committed");
        assertThat(backend.events()).hasSize(1);
    }

    private void write() {
        backend.persist(List.of(event), null);
        backend.afterCompletion(() -> ends.add("committed"), () -> ends.add("rolled back"));
    }
}
