package io.outbox.internal.ownership;

import io.outbox.dispatch.DefaultInFlightTracker;
import java.time.Duration;

/** Holds whose reservations do not last as long as they usually do. */
public final class Reservations {

    private Reservations() {}

    /** Returns holds that forget a reservation after the given time. */
    public static OwnedEvents forgottenAfter(Duration longest) {
        return new OwnedEvents(new DefaultInFlightTracker(), longest, longest, new LockClock());
    }
}
