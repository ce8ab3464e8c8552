package io.outbox.internal.delivery;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.spi.ContextPropagator.Scope;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Takes events through interceptors and listener, and has one {@link Outcome} per event for whatever happens there, any
 * {@code Throwable} included. Never throws.
 */
final class EventProcessor {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    /** Stands in for the listener of an event that needs none. */
    private static final EventListener NOBODY = event -> DispatchResult.done();

    private final Routing routing;
    private final List<EventInterceptor> interceptors;
    private final Contexts contexts;
    private final AttemptOutcomes outcomes;
    private final EngineMetrics metrics;
    private final Fallbacks fallbacks;

    EventProcessor(Listening listening, AttemptOutcomes outcomes, EngineMetrics metrics) {
        this.routing = listening.routing;
        this.interceptors = listening.interceptors;
        this.contexts = listening.contexts;
        this.outcomes = outcomes;
        this.metrics = metrics;
        this.fallbacks = new Fallbacks(contexts);
    }

    /** Returns what says what attempts lead to. */
    AttemptOutcomes outcomes() {
        return outcomes;
    }

    /** Who is called with an event. */
    record Listening(Routing routing, List<EventInterceptor> interceptors, Contexts contexts) {

        Listening {
            interceptors = List.copyOf(interceptors);
        }
    }

    /**
     * What became of one event.
     *
     * @param error what was thrown, or {@code null}
     * @param answered whether this tells that the target can be reached
     * @param envelope the event as its listener has got it
     */
    record Result(Outcome outcome, Throwable error, boolean answered, EventEnvelope envelope) {}

    /**
     * Begins with events of one route.
     *
     * <p>An event by itself is in its context from the first interceptor to the last, with the listener in between. A
     * batch listener stands outside of all contexts, also when its batch is one event, and interceptors in that of
     * their event.
     *
     * @param silence is told, until the results are there, that the target does not answer
     */
    Processing begin(List<HeldEvent> events, Recipient recipient, Consumer<RouteUnavailableException> silence) {
        Processing processing = new Processing(events, recipient);
        processing.begin(silence);
        return processing;
    }

    /** Events that are with their listener. */
    final class Processing {

        private final Recipient recipient;
        private final List<Attempt> attempts;
        private final long beganAt = System.nanoTime();
        /** The events that a batch listener was given, and its answer to come; {@code null} if there is none. */
        private List<Attempt> given;

        private BatchEventListener.Pending pending;

        private Processing(List<HeldEvent> events, Recipient recipient) {
            this.recipient = recipient;
            this.attempts = new ArrayList<>(events.size());
            events.forEach(event -> attempts.add(new Attempt(event)));
        }

        private void begin(Consumer<RouteUnavailableException> silence) {
            if (recipient.listener() instanceof BatchEventListener batching) {
                attempts.forEach(attempt -> inContext(attempt, attempt::before));
                given = attempts.stream().filter(Attempt::isUndecided).toList();
                pending = given.isEmpty() ? null : listenTogether(batching, given, silence);
            } else {
                Recipient called =
                        recipient.isMissing() ? standIn(attempts.get(0).event.envelope()) : recipient;
                attempts.forEach(attempt -> processAlone(called, attempt));
            }
        }

        /** Runs the action as soon as the results need not be waited for. */
        void whenAnswered(Runnable action) {
            if (pending == null) {
                action.run();
                return;
            }
            try {
                pending.whenAnswered(action);
            } catch (RuntimeException | Error e) {
                LOG.log(
                        Level.WARNING,
                        "A batch listener failed to report when its target answers; its batches are sent one at a time",
                        e);
                action.run();
            }
        }

        /** Waits until the events have been processed, and returns what became of them, in the same order. */
        List<Result> results() {
            if (pending != null) {
                heard(pending, given);
                recordDuration(given.get(0).event, beganAt);
            }
            if (recipient.listener() instanceof BatchEventListener) {
                attempts.forEach(attempt -> inContext(attempt, attempt::after));
            }
            List<Result> results = new ArrayList<>(attempts.size());
            AttemptOutcomes.Described described = outcomes.new Described();
            attempts.forEach(attempt -> results.add(new Result(
                    outcomes.of(attempt.event, recipient, attempt.result, described),
                    attempt.error(),
                    attempt.hasReached(),
                    attempt.envelope)));
            return results;
        }
    }

    /** Returns who stands in for the listener of an event that has none here. */
    private Recipient standIn(EventEnvelope event) {
        return event.isOptional() ? new Recipient(NOBODY, null) : new Recipient(null, routing.unroutable(event));
    }

    private void processAlone(Recipient recipient, Attempt attempt) {
        Scope context = contexts.restore(attempt.event.envelope());
        try {
            attempt.before();
            if (attempt.isUndecided()) {
                long beganAt = System.nanoTime();
                listenAlone(recipient, attempt);
                recordDuration(attempt.event, beganAt);
            }
            attempt.after();
        } finally {
            context.close();
        }
    }

    /** Calls the interceptors of one event of a batch. */
    private void inContext(Attempt attempt, Runnable step) {
        if (interceptors.isEmpty()) {
            return;
        }
        Scope context = contexts.restore(attempt.event.envelope());
        try {
            step.run();
        } finally {
            context.close();
        }
    }

    /** One event on its way through interceptors and listener. */
    private final class Attempt {

        private final HeldEvent event;
        private final DeliveryInfo info;
        /** The event with its payload in today's version, or as it was written if there is no way to it. */
        private EventEnvelope envelope;

        private int entered;
        private BatchOutcome result;
        private boolean listened;

        private Attempt(HeldEvent event) {
            this.event = event;
            this.info = event.info();
            this.envelope = event.envelope();
            try {
                this.envelope = routing.upToDate(envelope);
            } catch (Throwable e) {
                result = BatchOutcome.failed(e);
            }
        }

        /** Calls the interceptors; if one of them throws, the attempt has failed. */
        private void before() {
            if (!isUndecided()) {
                return;
            }
            try {
                for (EventInterceptor interceptor : interceptors) {
                    entered++;
                    enter(interceptor);
                }
            } catch (Throwable e) {
                result = BatchOutcome.failed(e);
            }
        }

        /** Calls the interceptors that were called before, in reverse order. */
        private void after() {
            Throwable thrown = error();
            Exception error = thrown == null || thrown instanceof Exception
                    ? (Exception) thrown
                    : new RuntimeException(FailureReport.text(thrown), thrown);
            while (entered > 0) {
                try {
                    leave(interceptors.get(--entered), error);
                } catch (Throwable e) {
                    LOG.log(Level.WARNING, "Interceptor failed after dispatch of event " + event.eventId(), e);
                }
            }
        }

        private boolean isUndecided() {
            return result == null;
        }

        private void enter(EventInterceptor interceptor) throws Exception {
            if (interceptor instanceof EventInterceptor.Informed informed) {
                informed.beforeDispatch(envelope, info);
            } else {
                interceptor.beforeDispatch(envelope);
            }
        }

        private void leave(EventInterceptor interceptor, Exception error) {
            if (interceptor instanceof EventInterceptor.Informed informed) {
                informed.afterDispatch(envelope, info, error);
            } else {
                interceptor.afterDispatch(envelope, error);
            }
        }

        /**
         * Returns whether the listener got as far as its target. What says that the event can never succeed may have
         * been found out before; any other failure has usually been met there.
         */
        private boolean hasReached() {
            return listened
                    && !(error() instanceof RouteUnavailableException)
                    && !(error() instanceof UnrecoverableException);
        }

        private void listened(BatchOutcome outcome) {
            listened = true;
            result = outcome;
        }

        private Throwable error() {
            return result instanceof BatchOutcome.Failed failed ? failed.error() : null;
        }
    }

    private void recordDuration(HeldEvent event, long beganAt) {
        metrics.recordListenerDuration(event.eventType(), System.nanoTime() - beganAt);
    }

    /** Calls the listener with the events that no interceptor kept from it; returns {@code null} if it fails. */
    private static BatchEventListener.Pending listenTogether(
            BatchEventListener listener, List<Attempt> given, Consumer<RouteUnavailableException> silence) {
        try {
            return Objects.requireNonNull(
                    BatchEventListener.Pipelined.call(
                            listener,
                            given.stream().map(attempt -> attempt.envelope).toList(),
                            given.stream().map(attempt -> attempt.info).toList(),
                            silence),
                    "The batch listener must return what is pending, but returned null");
        } catch (Throwable e) {
            given.forEach(attempt -> attempt.listened(BatchOutcome.failed(e)));
            return null;
        }
    }

    /** Waits for what a batch listener says about the events that it was given. */
    private static void heard(BatchEventListener.Pending pending, List<Attempt> given) {
        try {
            List<BatchOutcome> outcomes = pending.outcomes();
            requireOnePerEvent(outcomes, given.size());
            for (int i = 0; i < outcomes.size(); i++) {
                given.get(i).listened(outcomes.get(i));
            }
        } catch (Throwable e) {
            given.forEach(attempt -> attempt.listened(BatchOutcome.failed(e)));
        }
    }

    private static void listenAlone(Recipient recipient, Attempt attempt) {
        if (recipient.failure() != null) {
            attempt.result = BatchOutcome.failed(recipient.failure());
            return;
        }
        try {
            DispatchResult result = EventListener.Informed.call(recipient.listener(), attempt.envelope, attempt.info);
            if (result == null) {
                throw new IllegalStateException(
                        "The listener returned null; return DispatchResult.done() when the event is processed");
            }
            attempt.listened(BatchOutcome.of(result));
        } catch (Throwable e) {
            attempt.listened(BatchOutcome.failed(e));
        }
    }

    private static void requireOnePerEvent(List<BatchOutcome> outcomes, int events) {
        if (outcomes == null || outcomes.size() != events || outcomes.stream().anyMatch(Objects::isNull)) {
            throw new IllegalStateException("The batch listener must return one outcome for each of the " + events
                    + " events, but returned " + (outcomes == null ? "null" : outcomes.size() + " outcomes"));
        }
    }

    /** Calls the fallback of the listener if the event is about to be dead, and returns what becomes of the event. */
    Outcome afterFallback(HeldEvent event, Recipient recipient, Result result) {
        return fallbacks.allow(event, recipient, result)
                ? result.outcome()
                : outcomes.fallbackFailed(event, recipient, result.error());
    }
}
