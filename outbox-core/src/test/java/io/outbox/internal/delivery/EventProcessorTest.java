package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.PayloadParseException;
import io.outbox.RecoverableException;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.dispatch.StackTraces;
import io.outbox.internal.delivery.EventProcessor.Listening;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.versions.Versions;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.support.Events;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventProcessorTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00.123456Z");
    private static final EngineClock CLOCK = EngineClock.of(Clock.fixed(NOW.plusNanos(789), ZoneOffset.UTC));
    private static final Instant LATEST = NOW.plus(Duration.ofDays(3650));
    private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int MAX_ATTEMPTS = 5;

    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final List<EventInterceptor> interceptors = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private RetryPolicy retryPolicy = attempts -> 1000L * attempts;
    private boolean keepsDone = true;

    private static HeldEvent held(String id, int attempts) {
        return new HeldEvent(new QueuedEvent(Events.event(id), Source.HOT, attempts), null);
    }

    private Routing routing(ListenerRegistry listeners) {
        return new Routing(listeners, Versions.NONE, new Leases(), CLOCK, Duration.ZERO);
    }

    private EventProcessor processor(Routing routing) {
        return new EventProcessor(
                new Listening(routing, interceptors, new Contexts(List.of())),
                new AttemptOutcomes(
                        routing,
                        new AttemptOutcomes.RetrySettings(retryPolicy, MAX_ATTEMPTS),
                        new FailureReport(StackTraces.NONE, null, CLOCK),
                        CLOCK,
                        keepsDone),
                new EngineMetrics(MetricsExporter.NOOP));
    }

    private List<Outcome> process(ListenerRegistry listeners, HeldEvent... events) {
        Routing routing = routing(listeners);
        Recipient recipient = routing.recipientOf(events[0].envelope());
        return processor(routing).begin(List.of(events), recipient, silence -> {}).results().stream()
                .map(EventProcessor.Result::outcome)
                .toList();
    }

    private Outcome process(EventListener listener) {
        registry.register(Events.TYPE, listener);
        List<Outcome> outcomes = process(registry, held("e", 0));
        assertThat(outcomes).hasSize(1);
        return outcomes.get(0);
    }

    private static Outcome failedAfter(long millis, Throwable error) {
        return new Outcome.Failed("e", NOW.plusMillis(millis), 0, MAX_ATTEMPTS, told(error.toString()));
    }

    /** Returns what is stored for the first attempt of an event. */
    private static String told(String error) {
        return error + "\n\tAttempts:\n\t1 " + NOW + " -";
    }

    @Test
    void turnsResultsIntoOutcomesWithTheStoresPrecision() {
        assertThat(process(event -> DispatchResult.done())).isEqualTo(new Outcome.Done("e", NOW));
    }

    @Test
    void doneEventsAreNotKeptIfTheEngineSaysSo() {
        keepsDone = false;

        assertThat(process(event -> DispatchResult.done())).isEqualTo(new Outcome.Done("e", NOW, false));
    }

    @Test
    void defersByTheListenersDelay() {
        assertThat(process(event -> DispatchResult.retryAfter(Duration.ofMinutes(5))))
                .isEqualTo(new Outcome.Deferred("e", NOW.plusSeconds(300)));
    }

    @Test
    void keepsTheReasonOfADeadEvent() {
        assertThat(process(event -> DispatchResult.dead("rejected"))).isEqualTo(new Outcome.Dead("e", "rejected"));
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new IOException("broken pipe"),
                new IllegalStateException("state"),
                new RecoverableException("later"),
                new AssertionError("error"),
                new StackOverflowError(),
                new OutOfMemoryError("simulated"),
                new NoClassDefFoundError("missing"),
                new InterruptedException("interrupted"),
                new Throwable("bare"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void countsAnyThrowableAsAFailedAttempt(Throwable failure) {
        assertThat(process(event -> sneakily(failure))).isEqualTo(failedAfter(1000, failure));
        Thread.interrupted();
    }

    @Test
    void survivesARealStackOverflow() {
        assertThat(process(this::recurse))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.error()).contains("StackOverflowError"));
    }

    private DispatchResult recurse(EventEnvelope event) {
        return recurse(event).equals(DispatchResult.done()) ? DispatchResult.done() : DispatchResult.dead();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> DispatchResult sneakily(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void treatsANullResultAsAFailure() {
        assertThat(process(event -> null))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.error()).contains("null"));
    }

    @Test
    void declaresUnroutableEventsDead() {
        assertThat(process(registry, held("e", 0)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Outcome.Dead.class,
                        dead -> assertThat(dead.error())
                                .contains("UnroutableEventException", "event type " + Events.TYPE + ":"));
    }

    @Test
    void declaresEventsDeadThatNoRetryCanMend() {
        Exception failure = new PayloadParseException("bad payload");

        assertThat(process(event -> sneakily(failure))).isEqualTo(new Outcome.Dead("e", told(failure.toString())));
    }

    @Test
    void usesTheDelayOfARetryAfterException() {
        Exception failure = new RetryAfterException(Duration.ofSeconds(42), "busy");

        assertThat(process(event -> sneakily(failure))).isEqualTo(failedAfter(42_000, failure));
    }

    @Test
    void asksTheRetryPolicyWithTheAttemptJustMade() {
        registry.register(Events.TYPE, event -> sneakily(new IOException("x")));

        assertThat(process(registry, held("e", 3)))
                .singleElement()
                .isInstanceOfSatisfying(Outcome.Failed.class, failed -> {
                    assertThat(failed.retryAt()).isEqualTo(NOW.plusSeconds(4));
                    assertThat(failed.attempts()).isEqualTo(3);
                    assertThat(failed.maxAttempts()).isEqualTo(MAX_ATTEMPTS);
                });
        assertThat(process(registry, held("e", 4)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.attempts()).isEqualTo(4));
    }

    @Test
    void survivesARetryPolicyThatFails() {
        retryPolicy = attempts -> {
            throw new IllegalStateException("policy");
        };

        assertThat(process(event -> sneakily(new IOException("x"))))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.retryAt()).isEqualTo(NOW.plusSeconds(60)));
    }

    @Test
    void survivesARetryPolicyThatEndsInAnError() {
        retryPolicy = attempts -> {
            throw new StackOverflowError();
        };

        assertThat(process(event -> sneakily(new IOException("x"))))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.retryAt()).isEqualTo(NOW.plusSeconds(60)));
    }

    @Test
    void shortensADelayThatNoStoreCanHold() {
        assertThat(process(event -> DispatchResult.retryAfter(ENDLESS))).isEqualTo(new Outcome.Deferred("e", LATEST));
    }

    @Test
    void shortensADelayOfARetryAfterExceptionThatNoStoreCanHold() {
        assertThat(process(event -> sneakily(new RetryAfterException(ENDLESS))))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.retryAt()).isEqualTo(LATEST));
    }

    @Test
    void shortensADelayOfTheRetryPolicyThatNoStoreCanHold() {
        retryPolicy = attempts -> Long.MAX_VALUE;

        assertThat(process(event -> sneakily(new IOException("x"))))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.retryAt()).isEqualTo(LATEST));
    }

    /** An exception that cannot even tell what happened. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("message");
        }
    }

    @Test
    void knowsAnExceptionByItsClassWhenItsMessageFails() {
        assertThat(process(event -> sneakily(new Unspeakable())))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.error()).isEqualTo(told(Unspeakable.class.getName())));
    }

    @Test
    void treatsANegativeDelayAsNone() {
        retryPolicy = attempts -> -5;

        assertThat(process(event -> sneakily(new IOException("x"))))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.retryAt()).isEqualTo(NOW));
    }

    @Test
    void survivesARegistryThatFails() {
        ListenerRegistry broken = (aggregateType, eventType) -> {
            throw new IllegalStateException("registry");
        };

        assertThat(process(broken, held("e", 0))).singleElement().isInstanceOf(Outcome.Failed.class);
    }

    // Interceptors

    private EventInterceptor recording(String name) {
        return new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) {
                calls.add(name + " before " + event.eventId());
            }

            @Override
            public void afterDispatch(EventEnvelope event, Exception error) {
                calls.add(name + " after " + event.eventId() + " " + error);
            }
        };
    }

    @Test
    void callsInterceptorsInOrderBeforeAndInReverseAfter() {
        interceptors.addAll(List.of(recording("1"), recording("2"), recording("3")));

        process(event -> {
            calls.add("listener");
            return DispatchResult.done();
        });

        assertThat(calls)
                .containsExactly(
                        "1 before e",
                        "2 before e",
                        "3 before e",
                        "listener",
                        "3 after e null",
                        "2 after e null",
                        "1 after e null");
    }

    @Test
    void tellsInterceptorsWhatTheListenerThrew() {
        IOException failure = new IOException("x");
        List<Exception> seen = new ArrayList<>();
        interceptors.add(EventInterceptor.after((event, error) -> seen.add(error)));

        process(event -> sneakily(failure));

        assertThat(seen).containsExactly(failure);
    }

    @Test
    void wrapsAnErrorForInterceptors() {
        Error failure = new AssertionError("x");
        List<Exception> seen = new ArrayList<>();
        interceptors.add(EventInterceptor.after((event, error) -> seen.add(error)));

        process(event -> sneakily(failure));

        assertThat(seen).singleElement().satisfies(error -> assertThat(error).hasCause(failure));
    }

    @Test
    void doesNotCallTheListenerWhenAnInterceptorRefuses() {
        IOException failure = new IOException("refused");
        interceptors.add(recording("1"));
        interceptors.add(EventInterceptor.before(event -> {
            throw failure;
        }));
        interceptors.add(EventInterceptor.before(event -> calls.add("never")));

        Outcome outcome = process(event -> {
            calls.add("never");
            return DispatchResult.done();
        });

        assertThat(outcome).isEqualTo(failedAfter(1000, failure));
        assertThat(calls).containsExactly("1 before e", "1 after e " + failure);
    }

    @Test
    void callsNoInterceptorAfterwardsThatWasNotCalledBefore() {
        EventInterceptor refusing = new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) throws Exception {
                calls.add("2 before " + event.eventId());
                throw new IOException("refused");
            }

            @Override
            public void afterDispatch(EventEnvelope event, Exception error) {
                calls.add("2 after " + event.eventId());
            }
        };
        interceptors.addAll(List.of(recording("1"), refusing, recording("3")));

        process(event -> DispatchResult.done());

        assertThat(calls)
                .containsExactly("1 before e", "2 before e", "2 after e", "1 after e java.io.IOException: refused");
    }

    @Test
    void declaresAnEventDeadThatAnInterceptorCallsUnrecoverable() {
        interceptors.add(EventInterceptor.before(event -> {
            throw new UnrecoverableException("no");
        }));

        assertThat(process(event -> DispatchResult.done())).isInstanceOf(Outcome.Dead.class);
    }

    @Test
    void ignoresWhatInterceptorsThrowAfterwards() {
        interceptors.add(recording("1"));
        interceptors.add(EventInterceptor.after((event, error) -> {
            throw new AssertionError("after");
        }));

        assertThat(process(event -> DispatchResult.done())).isEqualTo(new Outcome.Done("e", NOW));
        assertThat(calls).containsExactly("1 before e", "1 after e null");
    }

    // Batches

    private static BatchEventListener batch(BatchEventListener listener) {
        return listener;
    }

    private List<Outcome> processBatch(BatchEventListener listener) {
        registry.register(Events.TYPE, listener);
        return process(registry, held("1", 0), held("2", 0), held("3", 0));
    }

    @Test
    void givesABatchListenerAllEventsInOrder() {
        List<Outcome> outcomes = processBatch(events -> {
            events.forEach(event -> calls.add(event.eventId()));
            return Arrays.asList(BatchOutcome.done(), BatchOutcome.done(), BatchOutcome.done());
        });

        assertThat(calls).containsExactly("1", "2", "3");
        assertThat(outcomes)
                .containsExactly(new Outcome.Done("1", NOW), new Outcome.Done("2", NOW), new Outcome.Done("3", NOW));
    }

    @Test
    void acceptsOutcomesInAnImmutableList() {
        assertThat(processBatch(events -> List.of(BatchOutcome.done(), BatchOutcome.done(), BatchOutcome.done())))
                .containsExactly(new Outcome.Done("1", NOW), new Outcome.Done("2", NOW), new Outcome.Done("3", NOW));
    }

    @Test
    void keepsTheOutcomesOfABatchApart() {
        IOException failure = new IOException("x");

        List<Outcome> outcomes = processBatch(events -> Arrays.asList(
                BatchOutcome.failed(failure),
                BatchOutcome.of(DispatchResult.dead("d")),
                BatchOutcome.of(DispatchResult.retryAfter(Duration.ofSeconds(9)))));

        assertThat(outcomes)
                .containsExactly(
                        new Outcome.Failed("1", NOW.plusSeconds(1), 0, MAX_ATTEMPTS, told(failure.toString())),
                        new Outcome.Dead("2", "d"),
                        new Outcome.Deferred("3", NOW.plusSeconds(9)));
    }

    static Stream<BatchEventListener> faultyBatchListeners() {
        return Stream.of(
                batch(events -> null),
                batch(events -> List.of()),
                batch(events -> Arrays.asList(BatchOutcome.done(), BatchOutcome.done())),
                batch(events -> Arrays.asList(
                        BatchOutcome.done(), BatchOutcome.done(), BatchOutcome.done(), BatchOutcome.done())),
                batch(events -> Arrays.asList(BatchOutcome.done(), null, BatchOutcome.done())),
                batch(events -> {
                    throw new IOException("all of them");
                }),
                batch(events -> {
                    throw new StackOverflowError();
                }));
    }

    @ParameterizedTest
    @MethodSource("faultyBatchListeners")
    void failsTheWholeBatchWhenTheListenerDoesNotTellEventsApart(BatchEventListener listener) {
        assertThat(processBatch(listener))
                .hasSize(3)
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Failed.class));
    }

    @Test
    void failsOnlyTheEventThatAnInterceptorRefused() {
        interceptors.add(EventInterceptor.before(event -> {
            if (event.eventId().equals("2")) {
                throw new IOException("refused");
            }
        }));

        List<Outcome> outcomes = processBatch(events -> {
            events.forEach(event -> calls.add(event.eventId()));
            return Arrays.asList(BatchOutcome.done(), BatchOutcome.of(DispatchResult.dead("d")));
        });

        assertThat(calls).containsExactly("1", "3");
        assertThat(outcomes.get(0)).isEqualTo(new Outcome.Done("1", NOW));
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Failed.class);
        assertThat(outcomes.get(2)).isEqualTo(new Outcome.Dead("3", "d"));
    }

    @Test
    void doesNotCallABatchListenerWithNothing() {
        interceptors.add(EventInterceptor.before(event -> {
            throw new IOException("refused");
        }));

        assertThat(processBatch(events -> {
                    calls.add("never");
                    return List.of();
                }))
                .hasSize(3)
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Failed.class));
        assertThat(calls).isEmpty();
    }

    @Test
    void callsAPlainListenerOncePerEvent() {
        registry.register(Events.TYPE, event -> {
            calls.add(event.eventId());
            return event.eventId().equals("2") ? sneakily(new IOException("x")) : DispatchResult.done();
        });

        List<Outcome> outcomes = process(registry, held("1", 0), held("2", 0), held("3", 0));

        assertThat(calls).containsExactly("1", "2", "3");
        assertThat(outcomes.get(0)).isEqualTo(new Outcome.Done("1", NOW));
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Failed.class);
        assertThat(outcomes.get(2)).isEqualTo(new Outcome.Done("3", NOW));
    }

    @Test
    void asksABatchListenerForItsBatchSize() {
        BatchEventListener small = new BatchEventListener() {
            @Override
            public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
                return List.of();
            }

            @Override
            public int maxBatchSize() {
                return 7;
            }
        };
        registry.register("Batched", small).register(Events.TYPE, event -> DispatchResult.done());
        Routing routing = routing(registry);

        assertThat(routing.recipientOf(Events.event("e", "Batched")).batchSize())
                .isEqualTo(7);
        assertThat(routing.recipientOf(Events.event("e", Events.TYPE)).batchSize())
                .isEqualTo(1);
        assertThat(routing.recipientOf(Events.event("e", "Unknown")).batchSize())
                .isEqualTo(1);
    }
}
