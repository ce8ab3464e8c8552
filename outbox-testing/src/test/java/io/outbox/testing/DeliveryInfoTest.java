package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners and interceptors know which attempt this is, what went wrong before, and when the event was written. */
class DeliveryInfoTest {

    private static final String TYPE = "T";

    private final List<DeliveryInfo> seen = new ArrayList<>();
    private final List<String> interceptions = new ArrayList<>();
    private final Deque<Exception> failures = new ArrayDeque<>();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final ManualOutbox outbox = ManualOutbox.create(
            listeners,
            settings -> settings.retryPolicy(attempts -> 1000).interceptor(new EventInterceptor.Informed() {
                @Override
                public void beforeDispatch(EventEnvelope event, DeliveryInfo info) {
                    interceptions.add("before " + info.attempt() + ", " + info.lastError());
                }

                @Override
                public void afterDispatch(EventEnvelope event, DeliveryInfo info, Exception error) {
                    interceptions.add("after " + info.attempt() + ", " + info.lastError());
                }
            }));

    @AfterEach
    void closeOutbox() {
        outbox.close();
    }

    private void registerFailing(Exception... errors) {
        failures.addAll(List.of(errors));
        listeners.register(TYPE, EventListener.informed((event, info) -> {
            seen.add(info);
            if (!failures.isEmpty()) {
                throw failures.remove();
            }
            return DispatchResult.done();
        }));
    }

    private EventEnvelope write() {
        EventEnvelope event = outbox.event(TYPE).payloadJson("{}").build();
        outbox.inTransaction(() -> outbox.writer().write(event));
        return event;
    }

    private void deliverAll() {
        do {
            outbox.deliverDue();
        } while (outbox.advanceToNextDue());
    }

    @Test
    void theFirstAttemptIsNumberOne() {
        registerFailing();
        EventEnvelope event = write();
        outbox.advance(Duration.ofHours(1));

        deliverAll();

        assertThat(seen).containsExactly(new DeliveryInfo(1, null, event.occurredAt()));
    }

    @Test
    void everyFailureAddsAnAttemptAndIsTheLastError() {
        registerFailing(new IOException("one"), new RetryAfterException(Duration.ofDays(1), "two"));
        EventEnvelope event = write();

        deliverAll();

        assertThat(seen)
                .containsExactly(
                        new DeliveryInfo(1, null, event.occurredAt()),
                        new DeliveryInfo(2, "java.io.IOException: one", event.occurredAt()),
                        new DeliveryInfo(3, "io.outbox.RetryAfterException: two", event.occurredAt()));
    }

    @Test
    void aDeferralIsNoAttempt() {
        Deque<DispatchResult> results = new ArrayDeque<>(List.of(
                DispatchResult.retryAfter(Duration.ofHours(1)), DispatchResult.retryAfter(Duration.ofHours(1))));
        listeners.register(TYPE, EventListener.informed((event, info) -> {
            seen.add(info);
            if (seen.size() == 2) {
                throw new IOException("once");
            }
            return results.isEmpty() ? DispatchResult.done() : results.remove();
        }));
        write();

        deliverAll();

        assertThat(seen).extracting(DeliveryInfo::attempt).containsExactly(1, 1, 2, 2);
        assertThat(seen)
                .extracting(DeliveryInfo::lastError)
                .containsExactly(null, null, "java.io.IOException: once", "java.io.IOException: once");
    }

    @Test
    void aReplayStartsAgain() {
        registerFailing(new IOException("one"), new UnrecoverableException("never"));
        EventEnvelope event = write();
        deliverAll();

        outbox.deadEvents().replay(event.eventId());
        deliverAll();

        assertThat(seen).extracting(DeliveryInfo::attempt).containsExactly(1, 2, 1);
        assertThat(seen.get(2).lastError()).isNull();
    }

    @Test
    void aBatchListenerKnowsOfEachEvent() {
        List<List<Integer>> batches = new ArrayList<>();
        listeners.register(TYPE, BatchEventListener.informed((events, infos) -> {
            batches.add(infos.stream().map(DeliveryInfo::attempt).toList());
            return infos.stream()
                    .map(info -> info.isRetry() ? BatchOutcome.done() : BatchOutcome.failed(new IOException("first")))
                    .toList();
        }));
        write();
        outbox.deliverDue();
        outbox.advance(Duration.ofMillis(999));
        write();
        outbox.advance(Duration.ofMillis(1));

        outbox.deliverDue();
        deliverAll();

        assertThat(batches.stream().flatMap(List::stream)).containsExactly(1, 1, 2, 2);
    }

    @Test
    void interceptorsKnowWhatTheListenerKnows() {
        registerFailing(new IOException("one"));
        write();

        deliverAll();

        assertThat(interceptions)
                .containsExactly(
                        "before 1, null",
                        "after 1, null",
                        "before 2, java.io.IOException: one",
                        "after 2, java.io.IOException: one");
    }

    @Test
    void interceptorsKnowAboutEachEventOfABatch() {
        listeners.register(TYPE, (BatchEventListener) events -> events.stream()
                .map(event ->
                        interceptions.size() == 2 ? BatchOutcome.failed(new IOException("b")) : BatchOutcome.done())
                .toList());
        outbox.inTransaction(() ->
                outbox.writer().writeAll(List.of(EventEnvelope.ofJson(TYPE, "{}"), EventEnvelope.ofJson(TYPE, "{}"))));

        deliverAll();

        assertThat(interceptions.subList(0, 4))
                .containsExactly("before 1, null", "before 1, null", "after 1, null", "after 1, null");
        assertThat(interceptions.subList(4, 6)).containsOnly("before 2, java.io.IOException: b");
    }
}
