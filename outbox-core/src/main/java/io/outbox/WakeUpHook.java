package io.outbox;

import io.outbox.spi.WakeUp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tells whoever delivers that events were written which the writer does not deliver itself. */
final class WakeUpHook implements WriterHook {

    private final WakeUp wakeUp;

    WakeUpHook(WakeUp wakeUp) {
        this.wakeUp = wakeUp;
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        Set<String> types = new HashSet<>();
        events.stream().filter(event -> !event.isDelayed()).forEach(event -> types.add(event.eventType()));
        if (!types.isEmpty()) {
            wakeUp.signal(types);
        }
    }
}
