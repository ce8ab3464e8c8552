package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whose retry policy counts, and what it has a say in. */
class RetryRulesTest {

    private static final String TYPE = "T";
    private static final String LANED = "Laned";
    private static final Duration OF_OUTBOX = Duration.ofMinutes(1);
    private static final Duration OF_LANE = Duration.ofMinutes(2);
    private static final Duration OF_LISTENER = Duration.ofMinutes(3);

    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final ManualOutbox outbox = ManualOutbox.create(
            listeners,
            settings -> settings.maxAttempts(3)
                    .retryPolicy(RetryPolicy.fixed(OF_OUTBOX).neverOn(IllegalArgumentException.class))
                    .lane(
                            LANED,
                            LanePolicy.builder()
                                    .retryPolicy(RetryPolicy.fixed(OF_LANE))
                                    .build()));

    @AfterEach
    void closeOutbox() {
        outbox.close();
    }

    private static EventListener failing(Exception error) {
        return event -> {
            throw error;
        };
    }

    private String write(String type) {
        return outbox.callInTransaction(
                () -> outbox.writer().write(outbox.event(type).payloadJson("{}").build()));
    }

    private StoredEvent afterOneAttempt(String type, EventListener listener) {
        listeners.register(type, listener);
        String id = write(type);
        outbox.deliverDue();
        return outbox.find(id).orElseThrow();
    }

    private void assertRetriedAfter(Duration delay, StoredEvent event) {
        assertThat(event.status()).isEqualTo(EventStatus.RETRY);
        assertThat(event.availableAt()).isEqualTo(outbox.clock().instant().plus(delay));
        assertThat(event.attempts()).isOne();
    }

    @Test
    void theOutboxesPolicyCountsIfThereIsNoOther() {
        assertRetriedAfter(OF_OUTBOX, afterOneAttempt(TYPE, failing(new IOException())));
    }

    @Test
    void aLanesPolicyComesBeforeTheOutboxes() {
        assertRetriedAfter(OF_LANE, afterOneAttempt(LANED, failing(new IllegalArgumentException())));
    }

    @Test
    void aListenersPolicyComesBeforeAll() {
        RetryPolicy own = RetryPolicy.fixed(OF_LISTENER);

        assertRetriedAfter(
                OF_LISTENER,
                afterOneAttempt(LANED, EventListener.retrying(own, failing(new IllegalArgumentException()))));
        assertRetriedAfter(
                OF_LISTENER,
                afterOneAttempt(TYPE, EventListener.retrying(own, failing(new IllegalArgumentException()))));
    }

    @Test
    void anExceptionThatIsNotWorthARetryEndsTheEventWithItsText() {
        StoredEvent event = afterOneAttempt(TYPE, failing(new IllegalArgumentException("no such order")));

        assertThat(event.status()).isEqualTo(EventStatus.DEAD);
        assertThat(event.lastError().lines()).first().isEqualTo("java.lang.IllegalArgumentException: no such order");
    }

    @Test
    void attemptsAreLimitedWhateverThePolicySays() {
        String id = afterOneAttempt(
                        TYPE, EventListener.retrying(RetryPolicy.fixed(OF_LISTENER), failing(new IOException())))
                .eventId();
        while (outbox.advanceToNextDue()) {
            outbox.deliverDue();
        }

        assertThat(outbox.find(id).orElseThrow().status()).isEqualTo(EventStatus.DEAD);
        assertThat(outbox.find(id).orElseThrow().attempts()).isEqualTo(3);
    }

    @Test
    void eachEventOfABatchGoesByItsOwnError() {
        RetryPolicy policy = RetryPolicy.fixed(OF_LISTENER)
                .neverOn(IllegalStateException.class)
                .delayOn(SocketTimeoutException.class, RetryPolicy.fixed(Duration.ofDays(1)));
        BatchEventListener batching = events -> List.of(
                BatchOutcome.failed(new IOException()),
                BatchOutcome.failed(new SocketTimeoutException()),
                BatchOutcome.failed(new IllegalStateException()),
                BatchOutcome.done());
        listeners.register(TYPE, EventListener.retrying(policy, batching));
        List<EventEnvelope> events = List.of(event(), event(), event(), event());
        outbox.inTransaction(() -> outbox.writer().writeAll(events));

        outbox.deliverDue();

        assertRetriedAfter(OF_LISTENER, find(events.get(0)));
        assertRetriedAfter(Duration.ofDays(1), find(events.get(1)));
        assertThat(find(events.get(2)).status()).isEqualTo(EventStatus.DEAD);
        assertThat(find(events.get(3)).status()).isEqualTo(EventStatus.DONE);
    }

    private EventEnvelope event() {
        return outbox.event(TYPE).payloadJson("{}").build();
    }

    private StoredEvent find(EventEnvelope event) {
        return outbox.find(event.eventId()).orElseThrow();
    }

    @Test
    void aListenerThatSaysItselfWhatIsToBeDoneIsNotOverruled() {
        RetryPolicy never = RetryPolicy.fixed(OF_LISTENER).neverOn(Throwable.class);
        RetryPolicy always = RetryPolicy.fixed(OF_LISTENER).retryOn(Throwable.class);

        assertRetriedAfter(
                Duration.ofHours(5),
                afterOneAttempt(
                        "After", EventListener.retrying(never, failing(new RetryAfterException(Duration.ofHours(5))))));
        assertThat(afterOneAttempt("Dead", EventListener.retrying(always, failing(new UnrecoverableException("no"))))
                        .status())
                .isEqualTo(EventStatus.DEAD);
        assertThat(afterOneAttempt(
                                "Later",
                                EventListener.retrying(never, event -> DispatchResult.retryAfter(Duration.ofHours(1))))
                        .status())
                .isEqualTo(EventStatus.NEW);
    }

    @Test
    void aPolicyThatFailsMakesTheEventWaitAMinute() {
        RetryPolicy throwing = attempts -> {
            throw new IllegalStateException("broken policy");
        };
        RetryPolicy silent = new RetryPolicy() {
            @Override
            public long computeDelayMs(int attempts) {
                return 0;
            }

            @Override
            public Optional<Duration> retryDelay(int attempts, Throwable error) {
                return null;
            }
        };

        assertRetriedAfter(
                OF_OUTBOX, afterOneAttempt("Throwing", EventListener.retrying(throwing, failing(new IOException()))));
        assertRetriedAfter(
                OF_OUTBOX, afterOneAttempt("Silent", EventListener.retrying(silent, failing(new IOException()))));
    }

    @Test
    void aDelayBeforeNowIsNow() {
        RetryPolicy backwards = new RetryPolicy() {
            @Override
            public long computeDelayMs(int attempts) {
                return 0;
            }

            @Override
            public Optional<Duration> retryDelay(int attempts, Throwable error) {
                return Optional.of(Duration.ofSeconds(-5));
            }
        };

        StoredEvent event = afterOneAttempt(TYPE, EventListener.retrying(backwards, failing(new IOException())));

        assertThat(event.availableAt()).isEqualTo(outbox.clock().instant());
    }
}
