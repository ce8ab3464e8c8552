package io.outbox.spring.boot.test;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The time of the outboxes under test. It stands still, so that a retry is due when the test says so, and not when the
 * machine was slow; only what is written moves it up to the present, so that no event lies in the future.
 *
 * <p>Events are stamped with the system's time as they are built. Once the test has moved the clock ahead, such an
 * event is moved ahead as far: what the application does then happens then, and a delay counts from there.
 */
final class TestTime implements WriterHook {

    private final ManualClock clock = new ManualClock();
    private Instant begun = clock.instant();
    private Duration ahead = Duration.ZERO;

    ManualClock clock() {
        return clock;
    }

    /** Returns to the present. */
    synchronized void begin() {
        begun = present();
        ahead = Duration.ZERO;
        clock.setTo(begun);
    }

    synchronized void advance(Duration duration) {
        clock.advance(duration);
        ahead = ahead.plus(duration);
    }

    /** Moves the clock to this time unless it is there already. */
    synchronized void reach(Instant instant) {
        if (instant.isAfter(clock.instant())) {
            clock.setTo(instant);
        }
    }

    @Override
    public synchronized List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return events.stream().map(this::moved).toList();
    }

    private EventEnvelope moved(EventEnvelope event) {
        if (event.occurredAt().isBefore(begun) || event.occurredAt().isAfter(present())) {
            return event;
        }
        reach(event.occurredAt().plus(ahead));
        if (ahead.isZero()) {
            return event;
        }
        EventEnvelope.Builder builder =
                event.toBuilder().occurredAt(event.occurredAt().plus(ahead));
        if (event.availableAt() != null) {
            builder.availableAt(event.availableAt().plus(ahead));
        }
        return builder.build();
    }

    private static Instant present() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }
}
