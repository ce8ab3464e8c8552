package io.outbox.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.PendingEvents;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.WriteBackend;
import io.outbox.support.CountedConnections;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The relational backend on a store that has only the five methods. */
class StoreBackendTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");
    private static final Instant FAR = Instant.now().plus(Duration.ofDays(1));

    private final FiveMethodStore store = new FiveMethodStore();
    private final CountedConnections connections = new CountedConnections();
    private final DeliveryBackend backend = StoreBackend.forDelivery(connections, store);

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
    void leavesTheConnectionOfAFailedWriteAloneUntilTheTransactionHasEnded() {
        AtomicInteger cleanedUp = new AtomicInteger();
        FiveMethodStore refusing = new FiveMethodStore() {
            @Override
            public void insertNew(Connection conn, EventEnvelope event) {
                throw new IllegalStateException("refused");
            }

            @Override
            public Optional<Runnable> afterFailedWrite(Connection conn, RuntimeException failure) {
                return failure.getMessage().equals("refused")
                        ? Optional.of(cleanedUp::incrementAndGet)
                        : Optional.empty();
            }
        };
        ManualTransaction transaction = new ManualTransaction(refusing).begin();
        WriteBackend writing = StoreBackend.forWriting(transaction, refusing);

        assertThatIllegalStateException()
                .isThrownBy(() -> writing.persist(List.of(NewEvent.unowned(Events.event("1")))))
                .withMessage("refused");

        assertThat(cleanedUp).hasValue(0);
        transaction.rollback();
        assertThat(cleanedUp).hasValue(1);
    }

    @Test
    void needsNoTransactionForOneOutcome() {
        insert("1");

        assertThat(backend.apply(null, List.of(new Outcome.Done("1", NOW)))).containsOnlyKeys("1");

        assertThat(connections.commits()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, DEAD", "0, 2, RETRY", "1, 2, DEAD", "8, 10, RETRY", "9, 10, DEAD", "30, 10, DEAD"})
    void countsAttemptsByWhatWasKnownWhereThePlainStoreCannot(int attempts, int maxAttempts, EventStatus status) {
        insert("1");

        assertThat(backend.apply(null, List.of(new Outcome.Failed("1", NOW, attempts, maxAttempts, "x"))))
                .containsOnly(Map.entry("1", status));
    }

    @Test
    void readsPagesThoughAPlainStoreHasNone() {
        insert("1", "2", "3", "4", "5");

        Page<DueEvent> first = backend.fetch(FetchRequest.first(FAR, 2));
        Page<DueEvent> second = backend.fetch(FetchRequest.first(FAR, 2).after(first.next()));
        Page<DueEvent> third = backend.fetch(FetchRequest.first(FAR, 2).after(second.next()));

        assertThat(first.items()).extracting(DueEvent::eventId).containsExactly("1", "2");
        assertThat(second.items()).extracting(DueEvent::eventId).containsExactly("3", "4");
        assertThat(third.items()).extracting(DueEvent::eventId).containsExactly("5");
        assertThat(third.next()).isNull();
    }

    @Test
    void aPageBeginsBehindWhatWasReadThoughSomeOfItIsFinishedByThen() {
        insert("1", "2", "3", "4", "5");
        Page<DueEvent> first = backend.fetch(FetchRequest.first(FAR, 3));

        store.markDone(null, "1");
        store.markDone(null, "2");

        assertThat(backend.fetch(FetchRequest.first(FAR, 3).after(first.next())).items())
                .extracting(DueEvent::eventId)
                .containsExactly("4", "5");
    }

    @Test
    void cannotClaimOnAPlainStore() {
        assertThat(backend.capabilities()).isEmpty();
        assertThat(backend.nextDueAt(NOW)).isEmpty();
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> backend.release("node", List.of("1")))
                .withMessageContaining("OwnershipStore");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> backend.renew("node", List.of("1")));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> backend.claim(ClaimRequest.first(new Lease("node", Duration.ofMinutes(1)), NOW, 1)));
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(backend::prepareReadsByType);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> backend.fetch(new FetchRequest(NOW, Duration.ZERO, EventTypes.only("A"), 1, null)));
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
        HousekeepingBackend housekeeping = StoreBackend.forHousekeeping(connections, store, null);

        assertThatIllegalStateException()
                .isThrownBy(() -> housekeeping.purge(NOW, 1))
                .withMessageContaining("purger");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> housekeeping.countDead(null))
                .withMessageContaining(FiveMethodStore.class.getName());
    }

    @Test
    void countsWhatAPlainStoreShows() {
        insert("1", "2");
        store.insertNew(null, Events.event("3", "Other"));
        store.markDone(null, "2");
        HousekeepingBackend housekeeping = StoreBackend.forHousekeeping(connections, store, null);

        assertThat(housekeeping.pending(FAR))
                .extracting(PendingEvents::eventType, PendingEvents::count)
                .containsExactly(tuple("Other", 1L), tuple(Events.TYPE, 1L));
        assertThat(housekeeping.counts())
                .containsExactly(new EventCount("Other", 1, 0), new EventCount(Events.TYPE, 1, 0));
    }
}
