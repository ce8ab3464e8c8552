package io.outbox.testing;

import io.outbox.spi.OutboxBackend;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The engine in memory, on a clock that is moved by hand or on the system's. */
final class InMemoryEngine implements EngineUnderTest {

    private final Clock clock;
    private final InMemoryOutboxBackend backend;

    private InMemoryEngine(Clock clock) {
        this.clock = clock;
        this.backend = new InMemoryOutboxBackend(clock);
    }

    static InMemoryEngine onManualTime() {
        return new InMemoryEngine(new ManualClock());
    }

    static InMemoryEngine onSystemTime() {
        return new InMemoryEngine(Clock.systemUTC());
    }

    @Override
    public OutboxBackend backend() {
        return backend;
    }

    @Override
    public void inTransaction(Runnable work) {
        backend.inTransaction(work);
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
