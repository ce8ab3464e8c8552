package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.StringEventType;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ManualOutboxTest {

    private final List<String> delivered = new ArrayList<>();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final ManualOutbox outbox =
            ManualOutbox.create(listeners, settings -> settings.maxAttempts(4).retryPolicy(attempts -> 0));

    @AfterEach
    void closeOutbox() {
        outbox.close();
    }

    @Test
    void timeStandsStillBetweenMoves() {
        Instant start = outbox.clock().instant();

        outbox.advance(Duration.ofDays(3));

        assertThat(outbox.clock().instant()).isEqualTo(start.plus(Duration.ofDays(3)));
    }

    @Test
    void delaysCountFromTheOutboxesClock() {
        registerRecorder("T");
        outbox.advance(Duration.ofDays(30));
        outbox.inTransaction(() -> outbox.writer()
                .write(outbox.event(StringEventType.of("T"))
                        .deliverAfter(Duration.ofHours(1))
                        .payloadJson("{}")
                        .build()));

        assertThat(outbox.deliverDue()).isZero();
        outbox.advance(Duration.ofHours(1));
        assertThat(outbox.deliverDue()).isEqualTo(1);
    }

    @Test
    void theClockMovesToTheNextDueEvent() {
        registerRecorder("T");
        outbox.inTransaction(() -> outbox.writer()
                .write(outbox.event("T")
                        .deliverAfter(Duration.ofHours(5))
                        .payloadJson("{}")
                        .build()));

        assertThat(outbox.advanceToNextDue()).isTrue();

        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(outbox.advanceToNextDue()).isFalse();
    }

    @Test
    void eventsThatAListenerWritesAreDeliveredToo() {
        registerRecorder("Second");
        listeners.register("First", event -> {
            delivered.add("First");
            outbox.inTransaction(() -> outbox.writer().write("Second", "{}"));
            return DispatchResult.done();
        });
        outbox.inTransaction(() -> outbox.writer().write("First", "{}"));

        assertThat(outbox.deliverDue()).isEqualTo(2);

        assertThat(delivered).containsExactly("First", "Second");
    }

    @Test
    void retriesWithoutDelayAreCountedThoughTimeStandsStill() {
        listeners.register("T", event -> {
            delivered.add(event.eventId());
            throw new IllegalStateException("always the same");
        });
        String id = outbox.callInTransaction(
                () -> outbox.writer().write(outbox.event("T").payloadJson("{}").build()));

        outbox.deliverDue();

        assertThat(delivered).hasSize(4);
        assertThat(outbox.find(id).orElseThrow().status()).isEqualTo(EventStatus.DEAD);
        assertThat(outbox.events(EventStatus.DEAD)).hasSize(1);
    }

    @Test
    void moreEventsThanTheQueueHoldsAreDelivered() {
        registerRecorder("T");
        for (int i = 0; i < 3_000; i++) {
            outbox.inTransaction(() -> outbox.writer().write("T", "{}"));
        }

        assertThat(outbox.deliverDue()).isEqualTo(3_000);
        assertThat(outbox.events(EventStatus.DONE)).hasSize(3_000);
    }

    @Test
    void aTransactionCanBeDrivenByHand() {
        registerRecorder("T");
        try (InMemoryTransaction transaction = outbox.begin()) {
            outbox.writer().write("T", "{}");
            assertThat(outbox.events()).isEmpty();
            transaction.commit();
        }

        assertThat(outbox.deliverDue()).isEqualTo(1);
    }

    private void registerRecorder(String eventType) {
        listeners.register(eventType, event -> {
            delivered.add(eventType);
            return DispatchResult.done();
        });
    }
}
