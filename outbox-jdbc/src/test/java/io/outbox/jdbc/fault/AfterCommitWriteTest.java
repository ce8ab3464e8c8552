package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.DeliveryFixture.Mode;
import io.outbox.jdbc.support.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes from callbacks that run after a commit, when the transaction is over. */
class AfterCommitWriteTest {

    @ParameterizedTest
    @EnumSource
    void aWriteWithoutATransactionOfItsOwnFailsAndStoresNothing(TestDatabase database) {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            Outbox outbox = fixture.open(Mode.SINGLE_NODE);
            List<EventEnvelope> events = DeliveryFixture.events(2);
            AtomicReference<Throwable> failure = new AtomicReference<>();

            fixture.inTransaction(outbox.writer(), writer -> {
                writer.write(events.get(0));
                fixture.jdbc()
                        .txContext()
                        .afterCommit(() -> failure.set(catchThrowable(() -> writer.write(events.get(1)))));
            });

            assertThat(failure.get())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("No active transaction");
            fixture.assertDelivered(List.of(events.get(0).eventId()));
            assertThat(fixture.number("1 = 1")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriteInANewTransactionIsDelivered(TestDatabase database) {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            Outbox outbox = fixture.open(Mode.MULTI_NODE);
            List<EventEnvelope> events = DeliveryFixture.events(2);

            fixture.inTransaction(outbox.writer(), writer -> {
                writer.write(events.get(0));
                fixture.jdbc()
                        .txContext()
                        .afterCommit(() -> fixture.inTransaction(writer, again -> again.write(events.get(1))));
            });

            fixture.assertDelivered(DeliveryFixture.ids(events));
        }
    }
}
