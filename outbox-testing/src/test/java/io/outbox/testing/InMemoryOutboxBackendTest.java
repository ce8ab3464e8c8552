package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.TransactionEnd;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryOutboxBackendTest {

    private final ManualClock clock = new ManualClock();
    private final EventEnvelope event = EventEnvelope.builder("T")
            .occurredAt(clock.instant())
            .payloadJson("{}")
            .build();

    @Test
    void theKindWithoutTransactionsStoresAtOnce() {
        InMemoryOutboxBackend backend = InMemoryOutboxBackend.withoutTransactions(clock);

        backend.persist(List.of(NewEvent.unowned(event)));

        assertThat(backend.events()).extracting(StoredEvent::eventId).containsExactly(event.eventId());
    }

    @Test
    void theKindWithoutTransactionsJoinsOneThatWasBegunAllTheSame() {
        InMemoryOutboxBackend backend = InMemoryOutboxBackend.withoutTransactions(Clock.systemUTC());
        List<TransactionEnd> ends = new ArrayList<>();

        try (InMemoryTransaction transaction = backend.begin()) {
            backend.persist(List.of(NewEvent.unowned(event)));
            backend.afterCompletion(ends::add);
            assertThat(backend.events()).isEmpty();
            assertThat(ends).isEmpty();
            transaction.rollback();
        }

        assertThat(backend.events()).isEmpty();
        assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
    }

    @Test
    void aRetryIsHandedOutWithItsLastError() {
        InMemoryOutboxBackend backend = InMemoryOutboxBackend.withoutTransactions(clock);
        backend.persist(List.of(NewEvent.unowned(event)));

        backend.apply(null, List.of(new Outcome.Failed(event.eventId(), clock.instant(), 0, 9, "refused")));

        assertThat(backend.fetch(FetchRequest.first(clock.instant(), 10)).items())
                .extracting(DueEvent::lastError)
                .containsExactly("refused");
    }
}
