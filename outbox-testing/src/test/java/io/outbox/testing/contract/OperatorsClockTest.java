package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators make due on a node whose clock differs from the store's. */
class OperatorsClockTest {

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void whatIsRetriedNowIsDueByTheStoresClock(long nodeAheadSeconds) {
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        try (Outbox outbox = Outbox.multiNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry())
                .claimLocking("node", Duration.ofMinutes(1))
                .clock(Clock.offset(Clock.systemUTC(), Duration.ofSeconds(nodeAheadSeconds)))
                .startManually()
                .build()) {
            Instant before = Instant.now();
            EventEnvelope event = EventEnvelope.builder("Reminder")
                    .deliverAfter(Duration.ofDays(1))
                    .payloadJson("{}")
                    .build();
            backend.inTransaction(() -> outbox.writer().write(event));

            outbox.waiting().retryNow(List.of(event.eventId()));

            assertThat(outbox.find(event.eventId()).orElseThrow().dueAt())
                    .isBetween(before.minusMillis(1), before.plusSeconds(30));
        }
    }
}
