package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.support.Events;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the log says of failed attempts. */
@ExtendWith(NoLeftoverThreads.class)
class FailureLogTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final Instant RETRY_AT = Instant.parse("2024-05-01T12:00:00Z");
    private static final String SECRET = "sesame";

    private final AtomicLong nanoTime = new AtomicLong();
    private final FailureLog failures = new FailureLog(nanoTime::get);
    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
    private final IllegalStateException error = new IllegalStateException("broken");
    private LogLines log;

    @BeforeEach
    void open() {
        log = new LogLines();
    }

    @AfterEach
    void close() {
        log.close();
    }

    private Completion completion(EventEnvelope event, Outcome outcome) {
        return new Completion(
                owned.acquire(event.eventId()),
                event.eventType(),
                event,
                outcome,
                new Completion.Failure(error, 0, () -> outcome));
    }

    private void fail(String eventId, String eventType, int attempts) {
        Outcome.Failed failed = new Outcome.Failed(eventId, RETRY_AT, attempts, 10, error.toString());
        failures.failed(completion(Events.event(eventId, eventType), failed), failed);
    }

    @Test
    void anAttemptThatFailedIsToldWithTheTimeOfTheNext() {
        fail("e1", "Placed", 2);

        assertThat(log.at(Level.WARNING, ""))
                .containsExactly("Attempt 3 of 10 of event e1 (type Placed) failed: java.lang.IllegalStateException:"
                        + " broken; next attempt at 2024-05-01T12:00:00Z");
    }

    @Test
    void theFirstAttemptAndTheLastHaveTheirStackTrace() {
        fail("first", "Placed", 0);
        fail("second", "Placed", 1);
        failures.dead(completion(Events.event("last"), new Outcome.Dead("last", "hopeless")));

        assertThat(log.thrown("Attempt 1 of 10 of event first")).isSameAs(error);
        assertThat(log.thrown("Attempt 2 of 10 of event second")).isNull();
        assertThat(log.thrown("Event last (type Tested) is DEAD: hopeless")).isSameAs(error);
        assertThat(log.at(Level.SEVERE, "")).hasSize(1);
    }

    @Test
    void anEventIsNamedByItsTraceAndByNothingElseOfItsContent() {
        EventEnvelope event = EventEnvelope.builder("Placed")
                .eventId("e1")
                .payloadJson("{\"password\":\"" + SECRET + "\"}")
                .header("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01")
                .header("token", SECRET)
                .build();
        EventEnvelope forged = EventEnvelope.builder("Placed")
                .eventId("e2")
                .payloadJson("{}")
                .header("traceparent", SECRET)
                .build();

        failures.dead(completion(event, new Outcome.Dead("e1", "hopeless")));
        failures.dead(completion(forged, new Outcome.Dead("e2", "hopeless")));

        assertThat(log.at(Level.SEVERE, ""))
                .containsExactly(
                        "Event e1 (type Placed, trace " + TRACE + ") is DEAD: hopeless",
                        "Event e2 (type Placed) is DEAD: hopeless");
    }

    @Test
    void ofManyThatFailAtOnceSomeAreToldAndTheOthersCounted() {
        for (int i = 0; i < 822; i++) {
            fail("e" + i, "Placed", 0);
        }
        fail("other", "Cancelled", 0);
        assertThat(log.at(Level.WARNING, "(type Placed)")).hasSize(FailureLog.MOST_PER_SECOND);
        assertThat(log.at(Level.WARNING, "(type Cancelled)")).hasSize(1);
        assertThat(log.at(Level.WARNING, "more attempts")).isEmpty();

        nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(1));
        failures.tellWhatIsOver();
        fail("later", "Placed", 0);
        failures.close();

        assertThat(log.at(Level.WARNING, "more attempts"))
                .containsExactly("And 812 more attempts of events of type Placed failed within a second");
        assertThat(log.at(Level.WARNING, "event later")).hasSize(1);
    }

    @Test
    void whatIsNotToldYetIsToldAtTheEnd() {
        for (int i = 0; i < 13; i++) {
            fail("e" + i, "Placed", 0);
        }

        failures.close();

        assertThat(log.at(Level.WARNING, "And 3 more attempts")).hasSize(1);
    }

    @Test
    void everyDeadEventHasItsLine() {
        for (int i = 0; i < 100; i++) {
            failures.dead(completion(Events.event("e" + i), new Outcome.Dead("e" + i, "hopeless")));
        }

        assertThat(log.at(Level.SEVERE, "is DEAD")).hasSize(100);
    }

    @Test
    void aNodeTellsOfFailuresAndNotOfEventsThatComeAgainLater() {
        ScriptedBackend backend = new ScriptedBackend();
        AtomicInteger calls = new AtomicInteger();
        try (Node node = Node.on(backend)) {
            node.delivery(settings -> settings.maxAttempts(3))
                    .delivery(settings -> settings.retryPolicy(attempts -> 5))
                    .listen("Failing", event -> {
                        throw error;
                    })
                    .listen(
                            "Patient",
                            event -> calls.incrementAndGet() < 3
                                    ? DispatchResult.retryAfter(Duration.ofMillis(1))
                                    : DispatchResult.done())
                    .start();

            node.write(Events.event("failing", "Failing"), Events.event("patient", "Patient"));

            await().atMost(Duration.ofSeconds(10))
                    .until(() -> backend.count(EventStatus.DEAD) == 1 && backend.count(EventStatus.DONE) == 1);
        }
        assertThat(log.at(Level.WARNING, "of event")).hasSize(2);
        assertThat(log.at(Level.WARNING, "Attempt 1 of 3 of event failing (type Failing) failed"))
                .hasSize(1);
        assertThat(log.at(Level.WARNING, "Attempt 2 of 3")).hasSize(1);
        assertThat(log.at(Level.SEVERE, "Event failing (type Failing) is DEAD: attempts used up (3), last error:"))
                .hasSize(1);
        assertThat(log.thrown("is DEAD")).isSameAs(error);
    }
}
