package io.outbox.dispatch;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Takes events through interceptors and listener, and turns whatever happens there, any {@code Throwable} included,
 * into one {@link Outcome} per event. Never throws.
 */
final class EventProcessor {

    private static final System.Logger LOG = System.getLogger(EventProcessor.class.getName());

    private static final Duration MAX_DELAY = Duration.ofDays(3650);

    private final ListenerRegistry registry;
    private final List<EventInterceptor> interceptors;
    private final RetryPolicy retryPolicy;
    private final int maxAttempts;
    private final MetricsExporter metrics;
    private final Clock clock;

    EventProcessor(
            ListenerRegistry registry,
            List<EventInterceptor> interceptors,
            RetrySettings retry,
            MetricsExporter metrics,
            Clock clock) {
        this.registry = registry;
        this.interceptors = List.copyOf(interceptors);
        this.retryPolicy = retry.policy();
        this.maxAttempts = retry.maxAttempts();
        this.metrics = metrics;
        this.clock = clock;
    }

    /** When and how often to try again. */
    record RetrySettings(RetryPolicy policy, int maxAttempts) {}

    /** Returns how many events of the delivery's route its listener takes at once. */
    int batchSize(Delivery delivery) {
        try {
            return listenerOf(delivery.event().envelope()) instanceof BatchEventListener batching
                    ? batching.maxBatchSize()
                    : 1;
        } catch (RuntimeException | Error e) {
            return 1; // the same failure comes up again in process(), where it counts as an attempt
        }
    }

    /**
     * What became of one event.
     *
     * @param error what was thrown, or {@code null}
     */
    record Result(Outcome outcome, Throwable error) {}

    /** Processes events of one route and returns what became of them, in the same order. */
    List<Result> process(List<QueuedEvent> events) {
        BatchOutcome[] results = new BatchOutcome[events.size()];
        List<Integer> admitted = new ArrayList<>(events.size());
        for (int i = 0; i < results.length; i++) {
            try {
                before(events.get(i).envelope());
                admitted.add(i);
            } catch (Throwable e) {
                results[i] = BatchOutcome.failed(e);
            }
        }
        if (!admitted.isEmpty()) {
            long start = System.nanoTime();
            listen(events, admitted, results);
            metrics.recordListenerDurationMs(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }
        List<Result> all = new ArrayList<>(results.length);
        for (int i = 0; i < results.length; i++) {
            after(events.get(i).envelope(), results[i]);
            Throwable error = results[i] instanceof BatchOutcome.Failed failed ? failed.error() : null;
            all.add(new Result(outcome(events.get(i), results[i]), error));
        }
        return all;
    }

    private void listen(List<QueuedEvent> events, List<Integer> admitted, BatchOutcome[] results) {
        List<EventEnvelope> envelopes =
                admitted.stream().map(i -> events.get(i).envelope()).toList();
        try {
            EventListener listener = listenerOf(envelopes.get(0));
            if (listener == null) {
                throw new UnroutableEventException("No listener registered for aggregateType="
                        + envelopes.get(0).aggregateType() + ", eventType="
                        + envelopes.get(0).eventType()
                        + ": register one, then replay the event");
            }
            if (listener instanceof BatchEventListener batching) {
                List<BatchOutcome> outcomes = batching.onEvents(envelopes);
                requireOnePerEvent(outcomes, envelopes.size());
                for (int i = 0; i < outcomes.size(); i++) {
                    results[admitted.get(i)] = outcomes.get(i);
                }
            } else {
                for (int i : admitted) {
                    results[i] = listenAlone(listener, events.get(i).envelope());
                }
            }
        } catch (Throwable e) {
            for (int i : admitted) {
                results[i] = BatchOutcome.failed(e);
            }
        }
    }

    private static BatchOutcome listenAlone(EventListener listener, EventEnvelope event) {
        try {
            DispatchResult result = listener.onEvent(event);
            if (result == null) {
                throw new IllegalStateException(
                        "The listener returned null; return DispatchResult.done() when the event is processed");
            }
            return BatchOutcome.of(result);
        } catch (Throwable e) {
            return BatchOutcome.failed(e);
        }
    }

    private static void requireOnePerEvent(List<BatchOutcome> outcomes, int events) {
        if (outcomes == null || outcomes.size() != events || outcomes.stream().anyMatch(Objects::isNull)) {
            throw new IllegalStateException("The batch listener must return one outcome for each of the " + events
                    + " events, but returned " + (outcomes == null ? "null" : outcomes.size() + " outcomes"));
        }
    }

    private EventListener listenerOf(EventEnvelope event) {
        return registry.listenerFor(event.aggregateType(), event.eventType());
    }

    private void before(EventEnvelope event) throws Exception {
        for (EventInterceptor interceptor : interceptors) {
            interceptor.beforeDispatch(event);
        }
    }

    private void after(EventEnvelope event, BatchOutcome result) {
        Exception error = null;
        if (result instanceof BatchOutcome.Failed failed) {
            error = failed.error() instanceof Exception exception ? exception : new RuntimeException(failed.error());
        }
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            try {
                interceptors.get(i).afterDispatch(event, error);
            } catch (Throwable e) {
                LOG.log(Level.WARNING, "Interceptor failed after dispatch of event " + event.eventId(), e);
            }
        }
    }

    private Outcome outcome(QueuedEvent event, BatchOutcome result) {
        String id = event.eventId();
        if (result instanceof BatchOutcome.Failed failed) {
            return failure(event, failed.error());
        }
        DispatchResult handled = ((BatchOutcome.Handled) result).result();
        if (handled instanceof DispatchResult.RetryAfter retryAfter) {
            return new Outcome.Deferred(id, later(retryAfter.delay()));
        }
        if (handled instanceof DispatchResult.Dead dead) {
            return new Outcome.Dead(id, dead.reason());
        }
        return new Outcome.Done(id, now());
    }

    private Outcome failure(QueuedEvent event, Throwable error) {
        LOG.log(Level.DEBUG, () -> "Attempt failed for event " + event.eventId(), error);
        if (error instanceof UnrecoverableException) {
            return new Outcome.Dead(event.eventId(), describe(error));
        }
        Duration delay = error instanceof RetryAfterException retryAfter ? retryAfter.retryAfter() : backoff(event);
        return new Outcome.Failed(event.eventId(), later(delay), event.attempts(), maxAttempts, describe(error));
    }

    private Duration backoff(QueuedEvent event) {
        try {
            return Duration.ofMillis(Math.max(0, retryPolicy.computeDelayMs(event.attempts() + 1)));
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "The retry policy failed; event " + event.eventId() + " is retried in a minute", e);
            return Duration.ofMillis(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        }
    }

    /** Returns the time after the delay, within what every store can hold. */
    private Instant later(Duration delay) {
        return now().plus(delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay);
    }

    /** Returns the error's text; an exception whose own methods throw is known by its class. */
    private static String describe(Throwable error) {
        try {
            return error.toString();
        } catch (RuntimeException | Error e) {
            return error.getClass().getName();
        }
    }

    /** Returns the current time with the precision of the store. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }
}
