package io.outbox;

import io.outbox.spi.WakeUp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells whoever delivers that events were written which the writer does not deliver itself. They look, and learn when a
 * delayed event is due; of those that are due after the next poll, the poll learns that.
 */
final class WakeUpHook implements WriterHook {

    private final WakeUp wakeUp;
    private final Clock clock;
    private final Duration pollInterval;

    WakeUpHook(WakeUp wakeUp, Clock clock, Duration pollInterval) {
        this.wakeUp = wakeUp;
        this.clock = clock;
        this.pollInterval = pollInterval;
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        Instant nextPoll = clock.instant().plus(pollInterval);
        Set<String> types = new HashSet<>();
        events.stream()
                .filter(event ->
                        event.availableAt() == null || event.availableAt().isBefore(nextPoll))
                .forEach(event -> types.add(event.eventType()));
        if (!types.isEmpty()) {
            wakeUp.signal(types);
        }
    }
}
