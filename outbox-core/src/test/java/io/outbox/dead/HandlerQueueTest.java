package io.outbox.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.model.OutboxEvent;
import io.outbox.support.Gate;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeftoverThreads.class)
class HandlerQueueTest {

    private final Gate gate = new Gate();
    private final Queue<List<OutboxEvent>> told = new ConcurrentLinkedQueue<>();

    private static List<OutboxEvent> batch(String id) {
        return List.of(event(id));
    }

    private static OutboxEvent event(String id) {
        Instant time = Instant.parse("2025-01-01T00:00:00Z");
        return new OutboxEvent(id, "T", null, null, null, "{}", null, 1, time, time);
    }

    private void waitAndNote(List<OutboxEvent> events) {
        gate.pass();
        told.add(events);
    }

    @Test
    void batchesAreToldInTheirOrderOnAnotherThread() {
        try (HandlerQueue queue = new HandlerQueue(this::waitAndNote)) {
            queue.add(batch("1"), Duration.ZERO);
            queue.add(batch("2"), Duration.ZERO);
            assertThat(told).isEmpty();

            gate.open();
        }
        assertThat(told).containsExactly(batch("1"), batch("2"));
    }

    @Test
    void whatAHandlerThrowsCostsNoOtherBatch() {
        try (HandlerQueue queue = new HandlerQueue(events -> {
                    told.add(events);
                    throw new AssertionError("handler");
                });
                LogLines log = new LogLines()) {
            queue.add(batch("1"), Duration.ZERO);
            queue.add(batch("2"), Duration.ZERO);

            await().untilAsserted(
                            () -> assertThat(log.at(Level.WARNING, "The handler of dead letters failed for 1 events"))
                                    .hasSize(2));
            assertThat(told).hasSize(2);
        }
    }

    @Test
    void idsAreLoggedWhenTheHandlerIsFarBehind() {
        List<OutboxEvent> many = Collections.nCopies(HandlerQueue.CAPACITY, event("many"));
        try (HandlerQueue queue = new HandlerQueue(this::waitAndNote);
                LogLines log = new LogLines()) {
            queue.add(many, Duration.ZERO);
            queue.add(batch("too-many"), Duration.ZERO);
            assertThat(log.at(Level.SEVERE, "is behind: too-many")).hasSize(1);

            gate.open();
            await().until(() -> told.size() == 1);
            queue.add(batch("again"), Duration.ofSeconds(30));
            await().until(() -> told.size() == 2);
        }
        assertThat(told).containsExactly(many, batch("again"));
    }

    @Test
    void fewLargeEventsAreAsManyAsManySmallOnes() {
        String payload = "x".repeat(1_000_000);
        OutboxEvent small = event("large");
        OutboxEvent large = new OutboxEvent(
                "large", "T", null, null, null, payload, null, 1, small.createdAt(), small.availableAt());
        try (HandlerQueue queue = new HandlerQueue(this::waitAndNote);
                LogLines log = new LogLines()) {
            for (int i = 0; i < 100; i++) {
                queue.add(List.of(large), Duration.ZERO);
            }

            assertThat(log.at(Level.SEVERE, "is behind: large")).hasSizeBetween(60, 99);
            gate.open();
        }
        assertThat(told).isNotEmpty();
    }

    @Test
    void aBatchLargerThanTheQueueIsToldAsAWhole() {
        List<OutboxEvent> many = Collections.nCopies(HandlerQueue.CAPACITY + 1, event("many"));
        gate.open();
        try (HandlerQueue queue = new HandlerQueue(this::waitAndNote)) {
            queue.add(many, Duration.ZERO);
        }
        assertThat(told).containsExactly(many);
    }

    /** The handler does not hear interrupts; what it has not been told of is in the log. */
    @Test
    void closeGivesUpOnAHandlerThatDoesNotReturn() {
        try (LogLines log = new LogLines()) {
            HandlerQueue queue = new HandlerQueue(this::waitAndNote);
            queue.add(batch("1"), Duration.ZERO);
            gate.awaitReached();
            queue.add(batch("2"), Duration.ZERO);

            queue.close();
            queue.add(batch("3"), Duration.ZERO);

            assertThat(log.at(Level.SEVERE, "takes too long at shutdown: 2")).hasSize(1);
            assertThat(log.at(Level.SEVERE, "has ended: 3")).hasSize(1);
        } finally {
            gate.open();
        }
    }
}
