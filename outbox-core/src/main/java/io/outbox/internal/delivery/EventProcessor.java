package io.outbox.internal.delivery;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.PayloadParseException;
import io.outbox.RetryAfterException;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.spi.ContextPropagator.Scope;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Takes events through interceptors and listener, and turns whatever happens there, any {@code Throwable} included,
 * into one {@link Outcome} per event. Never throws.
 */
final class EventProcessor {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private static final Duration MAX_DELAY = Duration.ofDays(3650);
    /** The wait of an event whose target is unavailable, where the store cannot leave its type out. */
    private static final Duration DEFERRAL = Duration.ofSeconds(1);
    /** Keeps an event that asks to come again at once from being due all the time. */
    private static final Duration LEAST_DEFERRAL = Duration.ofMillis(1);

    private static final Duration LONG_DELAY = Duration.ofMillis(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);

    /** Stands in for the listener of an event that needs none. */
    private static final EventListener NOBODY = event -> DispatchResult.done();

    private final Routing routing;
    private final List<EventInterceptor> interceptors;
    private final Contexts contexts;
    private final RetrySettings retry;
    private final EngineMetrics metrics;
    private final FailureReport report;
    private final EngineClock clock;
    private final boolean keepsDone;
    private final Fallbacks fallbacks;

    /** @param keepsDone whether events stay in the store when they are done */
    EventProcessor(
            Listening listening,
            RetrySettings retry,
            EngineMetrics metrics,
            FailureReport report,
            EngineClock clock,
            boolean keepsDone) {
        this.routing = listening.routing;
        this.interceptors = listening.interceptors;
        this.contexts = listening.contexts;
        this.retry = retry;
        this.metrics = metrics;
        this.report = report;
        this.clock = clock;
        this.keepsDone = keepsDone;
        this.fallbacks = new Fallbacks(contexts);
    }

    /** Who is called with an event. */
    record Listening(Routing routing, List<EventInterceptor> interceptors, Contexts contexts) {

        Listening {
            interceptors = List.copyOf(interceptors);
        }
    }

    /** When and how often to try again. */
    record RetrySettings(RetryPolicy policy, int maxAttempts) {}

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
     * <p>An event by itself is in its context from the first interceptor to the last, with the listener in between. A batch
     * listener stands outside of all contexts, also when its batch is one event, and interceptors in that of their event.
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
                        "A batch listener cannot tell when its target has answered; it is waited for",
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
            Described described = new Described();
            attempts.forEach(attempt -> results.add(new Result(
                    outcome(attempt, recipient, described), attempt.error(), attempt.hasReached(), attempt.envelope)));
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
         * Returns whether the listener got as far as its target. What says that the event can never succeed may have been
         * found out before; any other failure has usually been met there.
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

    /** The text of an error, made once for all events of a batch that failed by it. */
    private final class Described {

        private Throwable error;
        private String text;

        String text(Tried tried, Throwable thrown) {
            if (error != thrown) {
                error = thrown;
                text = report.describe(thrown);
            }
            return report.withAttempts(text, tried.attempts, tried.lastError);
        }
    }

    private Outcome outcome(Attempt attempt, Recipient recipient, Described described) {
        String id = attempt.event.eventId();
        if (attempt.result instanceof BatchOutcome.Failed failed) {
            Tried tried = Tried.of(attempt.event, attempt.event.lastError(), recipient);
            return failed.error() instanceof PayloadParseException
                    ? unread(attempt.event, tried, failed.error(), described)
                    : failure(tried, failed.error(), described);
        }
        DispatchResult handled = ((BatchOutcome.Handled) attempt.result).result();
        if (handled instanceof DispatchResult.RetryAfter retryAfter) {
            boolean atOnce = retryAfter.delay().compareTo(LEAST_DEFERRAL) < 0;
            return new Outcome.Deferred(id, later(atOnce ? LEAST_DEFERRAL : retryAfter.delay()));
        }
        if (handled instanceof DispatchResult.Dead dead) {
            return new Outcome.Dead(id, dead.reason());
        }
        return new Outcome.Done(id, clock.now(), keepsDone);
    }

    /** Returns the outcome of an attempt whose payload this node could not read: others may be able to. */
    private Outcome unread(HeldEvent event, Tried tried, Throwable error, Described described) {
        LOG.log(Level.DEBUG, () -> "Event " + tried.eventId + " cannot be read", error);
        return routing.unread(event)
                .<Outcome>map(later -> new Outcome.Deferred(tried.eventId, later))
                .orElseGet(() -> new Outcome.Dead(tried.eventId, routing.unreadable(described.text(tried, error))));
    }

    /** Returns the outcome of an attempt that failed with this error. */
    private Outcome failure(Tried tried, Throwable error, Described described) {
        LOG.log(Level.DEBUG, () -> "Attempt failed for event " + tried.eventId, error);
        if (error instanceof UnrecoverableException) {
            return new Outcome.Dead(tried.eventId, described.text(tried, error));
        }
        if (error instanceof RouteUnavailableException unavailable) {
            return new Outcome.Deferred(
                    tried.eventId, later(unavailable.pause() == null ? DEFERRAL : unavailable.pause()));
        }
        if (error instanceof RetryAfterException retryAfter) {
            return failed(tried, retryAfter.retryAfter(), described.text(tried, error));
        }
        return backoff(tried, error)
                .map(delay -> failed(tried, delay, described.text(tried, error)))
                .orElseGet(() -> new Outcome.Dead(tried.eventId, described.text(tried, error)));
    }

    /**
     * Calls the fallback of the listener if the event is about to be dead, and returns what becomes of the event. If the fallback fails,
     * the event comes again, and the attempt does not count.
     */
    Outcome afterFallback(HeldEvent event, Recipient recipient, Result result) {
        if (fallbacks.allow(event, recipient, result)) {
            return result.outcome();
        }
        Tried tried = Tried.of(event, event.lastError(), recipient);
        Duration delay = backoff(tried, result.error()).orElse(LONG_DELAY);
        return new Outcome.Deferred(tried.eventId, later(delay.compareTo(DEFERRAL) < 0 ? DEFERRAL : delay));
    }

    /**
     * Returns what makes a failed attempt with the usual delay, for an event whose true outcome the store does not take. It
     * keeps nothing of the event but its id.
     */
    Supplier<Outcome> ifRefused(HeldEvent event, Recipient recipient) {
        Tried tried = Tried.of(event, null, recipient);
        return () -> blameless(tried, new IllegalStateException("The store refused to take the outcome of an attempt"));
    }

    /** Returns a failed attempt for an error that is not the event's, so that no rule by exception ends it. */
    Outcome blameless(HeldEvent event, Recipient recipient, Throwable error) {
        return blameless(Tried.of(event, event.lastError(), recipient), error);
    }

    private Outcome blameless(Tried tried, Throwable error) {
        return failed(tried, backoff(tried, error).orElse(LONG_DELAY), new Described().text(tried, error));
    }

    /**
     * An event that was tried, by its id, and the listener that it is for.
     *
     * @param lastError the text of the attempt before, or {@code null}
     */
    private record Tried(String eventId, int attempts, String lastError, EventListener listener) {

        static Tried of(HeldEvent event, String lastError, Recipient recipient) {
            return new Tried(event.eventId(), event.queued().attempts(), lastError, recipient.listener());
        }
    }

    private Outcome failed(Tried tried, Duration delay, String error) {
        return new Outcome.Failed(tried.eventId, later(delay), tried.attempts, retry.maxAttempts, error);
    }

    private Optional<Duration> backoff(Tried tried, Throwable error) {
        try {
            RetryPolicy own = tried.listener == null ? null : tried.listener.retryPolicy();
            RetryPolicy policy = own == null ? retry.policy : own;
            return Objects.requireNonNull(policy.retryDelay(tried.attempts + 1, error), "retryDelay returned null");
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "The retry policy failed; event " + tried.eventId + " is retried in a minute", e);
            return Optional.of(LONG_DELAY);
        }
    }

    /** Returns the time after the delay, within what every store can hold. */
    private Instant later(Duration delay) {
        if (delay.isNegative()) {
            return clock.now();
        }
        return clock.now().plus(delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay);
    }
}
