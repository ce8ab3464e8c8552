package io.outbox.internal.delivery;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.PayloadParseException;
import io.outbox.RetryAfterException;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What an attempt to deliver an event leads to: whether the event is done, dead or comes again, and when. Thread-safe.
 *
 * <p>A retry policy that fails ends no event.
 */
final class AttemptOutcomes {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private static final Duration MAX_DELAY = Duration.ofDays(3650);
    /** The wait of an event whose target is unavailable, where the store cannot leave its type out. */
    private static final Duration DEFERRAL = Duration.ofSeconds(1);
    /** Keeps an event that asks to come again at once from being due all the time. */
    private static final Duration LEAST_DEFERRAL = Duration.ofMillis(1);

    private static final Duration LONG_DELAY = Duration.ofMillis(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);

    private final Routing routing;
    private final RetrySettings retry;
    private final FailureReport report;
    private final EngineClock clock;
    private final boolean keepsDone;

    /** @param keepsDone whether events stay in the store when they are done */
    AttemptOutcomes(Routing routing, RetrySettings retry, FailureReport report, EngineClock clock, boolean keepsDone) {
        this.routing = routing;
        this.retry = retry;
        this.report = report;
        this.clock = clock;
        this.keepsDone = keepsDone;
    }

    /** When and how often to try again. */
    record RetrySettings(RetryPolicy policy, int maxAttempts) {}

    /** The text of an error, made once for all events of a batch that failed by it. */
    final class Described {

        private Throwable error;
        private String text;

        private String text(Tried tried, Throwable thrown) {
            if (error != thrown) {
                error = thrown;
                text = report.describe(thrown);
            }
            return report.withAttempts(text, tried.attempts, tried.lastError);
        }
    }

    /** Returns the outcome of an attempt that ended in this way. */
    Outcome of(HeldEvent event, Recipient recipient, BatchOutcome result, Described described) {
        String id = event.eventId();
        if (result instanceof BatchOutcome.Failed failed) {
            Tried tried = Tried.of(event, event.lastError(), recipient);
            return failed.error() instanceof PayloadParseException
                    ? unread(event, tried, failed.error(), described)
                    : failure(tried, failed.error(), described);
        }
        DispatchResult handled = ((BatchOutcome.Handled) result).result();
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
     * Returns the outcome of an attempt whose fallback failed: the event comes again, and the attempt does not count.
     */
    Outcome fallbackFailed(HeldEvent event, Recipient recipient, Throwable error) {
        Tried tried = Tried.of(event, event.lastError(), recipient);
        Duration delay = backoff(tried, error).orElse(LONG_DELAY);
        return new Outcome.Deferred(tried.eventId, later(delay.compareTo(DEFERRAL) < 0 ? DEFERRAL : delay));
    }

    /**
     * Returns what makes a failed attempt with the usual delay, for an event whose true outcome the store does not
     * take. It keeps nothing of the event but its id.
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
