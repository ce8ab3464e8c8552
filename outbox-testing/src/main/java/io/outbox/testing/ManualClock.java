package io.outbox.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. Thread-safe. */
public final class ManualClock extends Clock {

    private final AtomicReference<Instant> time;
    private final ZoneId zone;

    /** Creates a clock that shows the current time, with microseconds. */
    public ManualClock() {
        this(Instant.now().truncatedTo(ChronoUnit.MICROS));
    }

    /** Creates a clock that shows the given time. */
    public ManualClock(Instant start) {
        this(new AtomicReference<>(Objects.requireNonNull(start, "start")), ZoneOffset.UTC);
    }

    private ManualClock(AtomicReference<Instant> time, ZoneId zone) {
        this.time = time;
        this.zone = zone;
    }

    /** Moves the clock forward. */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration + "; use setTo(...)");
        }
        time.updateAndGet(now -> now.plus(duration));
    }

    /** Sets the clock, also back. */
    public void setTo(Instant instant) {
        time.set(Objects.requireNonNull(instant, "instant"));
    }

    @Override
    public Instant instant() {
        return time.get();
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** Returns a clock that moves together with this one. */
    @Override
    public Clock withZone(ZoneId otherZone) {
        return new ManualClock(time, otherZone);
    }
}
