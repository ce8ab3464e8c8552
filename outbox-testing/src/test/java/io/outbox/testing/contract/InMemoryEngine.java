package io.outbox.testing.contract;

import io.outbox.spi.OutboxBackend;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testing.ManualClock;
import io.outbox.testing.StoredEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The engine in memory, with or without transactions, on a clock that is moved by hand or on the system's. */
final class InMemoryEngine implements EngineUnderTest {

    private final Clock clock;
    private final InMemoryOutboxBackend backend;

    private InMemoryEngine(Clock clock, InMemoryOutboxBackend backend) {
        this.clock = clock;
        this.backend = backend;
    }

    static InMemoryEngine withTransactions(Clock clock) {
        return new InMemoryEngine(clock, new InMemoryOutboxBackend(clock));
    }

    static InMemoryEngine withoutTransactions(Clock clock) {
        return new InMemoryEngine(clock, InMemoryOutboxBackend.withoutTransactions(clock));
    }

    @Override
    public OutboxBackend backend() {
        return backend;
    }

    @Override
    public void inTransaction(Runnable work) {
        if (backend.requiresActiveTransaction()) {
            backend.inTransaction(work);
        } else {
            work.run();
        }
    }

    @Override
    public Optional<StoredEvent> find(String eventId) {
        return backend.find(eventId);
    }

    @Override
    public Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public void letTimePass(Duration duration) {
        if (clock instanceof ManualClock manual) {
            manual.advance(duration);
        } else {
            Waiting.pause(duration);
        }
    }
}
