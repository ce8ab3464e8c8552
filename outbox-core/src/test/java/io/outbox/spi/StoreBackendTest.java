package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.model.EventStatus;
import io.outbox.support.CountedConnections;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The relational backend on a store that has only the five methods. */
class StoreBackendTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");

    private final FiveMethodStore store = new FiveMethodStore();
    private final CountedConnections connections = new CountedConnections();
    private final OutboxBackend backend = StoreBackend.forDelivery(connections, store);

    @AfterEach
    void noConnectionIsLeftOpen() {
        assertThat(connections.open()).isZero();
    }

    private void insert(String... ids) {
        for (String id : ids) {
            store.insertNew(null, Events.event(id));
        }
    }

    @Test
    void appliesEveryKindOfOutcomeAndReportsWhatStands() {
        insert("done", "failed", "exhausted", "deferred", "dead");

        Map<String, EventStatus> applied = backend.apply(
                null,
                List.of(
                        new Outcome.Done("done", NOW),
                        new Outcome.Failed("failed", NOW, 0, 2, "x"),
                        new Outcome.Failed("exhausted", NOW, 1, 2, "x"),
                        new Outcome.Deferred("deferred", NOW),
                        new Outcome.Dead("dead", "x"),
                        new Outcome.Done("unknown", NOW)));

        assertThat(applied)
                .containsOnly(
                        Map.entry("done", EventStatus.DONE),
                        Map.entry("failed", EventStatus.RETRY),
                        Map.entry("exhausted", EventStatus.DEAD),
                        Map.entry("deferred", EventStatus.NEW),
                        Map.entry("dead", EventStatus.DEAD));
        assertThat(connections.commits()).isEqualTo(1);
        assertThat(connections.rollbacks()).isZero();
    }

    @Test
    void rollsBackABatchOfOutcomesThatCannotBeWrittenAsAWhole() {
        insert("1", "2");
        store.failMarks(1);

        assertThatIllegalStateException()
                .isThrownBy(() -> backend.apply(null, List.of(new Outcome.Done("1", NOW), new Outcome.Done("2", NOW))))
                .withMessageContaining("down");

        assertThat(connections.rollbacks()).isEqualTo(1);
        assertThat(connections.commits()).isZero();
    }

    @Test
    void needsNoTransactionForOneOutcome() {
        insert("1");

        assertThat(backend.apply(null, List.of(new Outcome.Done("1", NOW)))).containsOnlyKeys("1");

        assertThat(connections.commits()).isZero();
    }

    @Test
    void readsThatManyMoreEventsAsTheCallerHoldsSinceAPlainStoreHasNoPages() {
        insert("1", "2", "3", "4");

        assertThat(backend.fetch(new OutboxBackend.FetchRequest(Instant.MAX, Duration.ZERO, 1, null, 2)))
                .hasSize(3);
        assertThat(backend.fetch(
                        new OutboxBackend.FetchRequest(Instant.MAX, Duration.ZERO, 1, null, Integer.MAX_VALUE)))
                .hasSize(4);
    }

    @Test
    void cannotClaimOnAPlainStore() {
        assertThat(backend.supportsClaiming()).isFalse();
        assertThat(backend.release("node", List.of("1"))).isZero();
        assertThat(backend.nextDueAt(NOW)).isEmpty();
        assertThat(backend.pending(NOW)).isEmpty();
    }

    @Test
    void saysWhenTheDatabaseIsNotAvailable() {
        connections.failWith(new SQLException("refused"));

        assertThatExceptionOfType(OutboxBackendException.class)
                .isThrownBy(() -> backend.apply(null, List.of(new Outcome.Done("1", NOW))))
                .withMessageContaining("refused");
    }

    @Test
    void saysWhatIsMissingForWhatItCannotDo() {
        OutboxBackend writing = StoreBackend.forWriting(new ManualTransaction(store), store);

        assertThatIllegalStateException()
                .isThrownBy(() -> writing.countDead(null))
                .withMessageContaining("ConnectionProvider");
        assertThatIllegalStateException()
                .isThrownBy(() -> backend.purge(NOW, 1))
                .withMessageContaining("purger");
    }
}
