package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.LocalWakeUp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class WakeUpHookTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final List<Set<String>> hints = new CopyOnWriteArrayList<>();
    private final LocalWakeUp wakeUp = new LocalWakeUp();
    private final WakeUpHook hook = new WakeUpHook(wakeUp, Clock.fixed(NOW, ZoneOffset.UTC), Duration.ofSeconds(5));

    private static EventEnvelope event(String type, Duration delay) {
        return EventEnvelope.builder(type)
                .occurredAt(NOW)
                .availableAt(NOW.plus(delay))
                .payloadJson("{}")
                .build();
    }

    @Test
    void eventsThatTheNextPollWouldFindTooLateAreHintedAt() {
        wakeUp.listen(hints::add);
        hints.clear();

        hook.afterCommit(List.of(event("Now", Duration.ZERO), event("Soon", Duration.ofSeconds(4))));
        hook.afterCommit(List.of(event("Later", Duration.ofSeconds(5))));

        assertThat(hints).containsExactly(Set.of("Now", "Soon"));
    }
}
