package io.outbox.spring.boot.actuator;

import io.outbox.model.OutboxStatus;
import io.outbox.model.PendingEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;

/** How long events that are due have waited. */
final class Lag {

    private Lag() {}

    /** Returns how long the oldest event of all has waited. */
    static Duration of(OutboxStatus status, Instant now) {
        return status.pending().stream()
                .map(events -> of(events, now))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Returns how long the oldest of these has waited. */
    static Duration of(PendingEvents events, Instant now) {
        Duration lag = Duration.between(events.oldestDueAt(), now);
        return lag.isNegative() ? Duration.ZERO : lag;
    }
}
