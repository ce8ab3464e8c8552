package io.outbox.dispatch;

import java.time.Duration;
import java.util.Optional;

/**
 * How long to wait before the next attempt, and whether there is to be one. Thread-safe; those made here are immutable.
 *
 * <p>A policy is set for the outbox, for a {@linkplain LanePolicy lane} or by a {@linkplain
 * io.outbox.EventListener#retryPolicy() listener}; the listener's comes first, then the lane's. It is asked on the
 * worker thread after every failed attempt, also if it was the last: whether attempts are left is the store's to say.
 * What it throws is logged, and the event comes again after a minute. It has no say where a listener says itself what
 * is to be done: {@link io.outbox.UnrecoverableException}, {@link io.outbox.RetryAfterException}, {@link
 * io.outbox.RouteUnavailableException}, or a {@link io.outbox.DispatchResult}.
 *
 * <h2>Rules by exception</h2>
 *
 * {@link #retryOn}, {@link #neverOn} and {@link #delayOn} return a policy with one rule more:
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofMillis(200), Duration.ofMinutes(1))
 *         .neverOn(IllegalArgumentException.class)
 *         .delayOn(SocketTimeoutException.class, RetryPolicy.fixed(Duration.ofSeconds(30)));
 * }</pre>
 *
 * The order of the rules does not matter. A rule holds for its exception type and all subtypes, and of several that
 * hold the one for the most specific type decides. If there is none for the exception that was thrown, its cause is
 * looked at, then the cause of that, and so on: what a client, a future or a proxy wraps is judged by what went wrong
 * inside.
 */
@FunctionalInterface
public interface RetryPolicy {

    /**
     * Returns the delay before the next attempt.
     *
     * @param attempts failed attempts so far, including the one just made; at least 1
     */
    long computeDelayMs(int attempts);

    /**
     * Returns the delay before the next attempt after this error, or nothing if the error is not worth another attempt,
     * so that the event goes DEAD. The default waits whatever the error is.
     *
     * @param attempts failed attempts so far, including the one just made; at least 1
     * @param error what the listener or an interceptor threw
     */
    default Optional<Duration> retryDelay(int attempts, Throwable error) {
        return Optional.of(Duration.ofMillis(Math.max(0, computeDelayMs(attempts))));
    }

    /** Describes how long it waits, for operators. The default names the class. */
    default String describe() {
        return "delays of " + getClass().getSimpleName();
    }

    /**
     * Returns a policy that always waits the same time, without jitter.
     *
     * @throws IllegalArgumentException if the delay is shorter than 1 ms or longer than 10 years
     */
    static RetryPolicy fixed(Duration delay) {
        return new FixedDelay(Delays.millis(delay, "delay"));
    }

    /**
     * Returns a policy that waits one step longer with every attempt, up to a maximum, without jitter.
     *
     * @throws IllegalArgumentException if a delay is shorter than 1 ms or longer than 10 years, or the maximum is less
     * than
     *     the step
     */
    static RetryPolicy linear(Duration step, Duration max) {
        return new LinearBackoff(Delays.millis(step, "step"), Delays.millis(max, "max"));
    }

    /**
     * Returns an {@link ExponentialBackoffRetryPolicy}: the delay doubles with every attempt up to a maximum, with
     * jitter.
     *
     * @throws IllegalArgumentException if a delay is shorter than 1 ms or longer than 10 years, or the maximum is less
     * than
     *     the base
     */
    static RetryPolicy exponential(Duration base, Duration max) {
        return new ExponentialBackoffRetryPolicy(Delays.millis(base, "base"), Delays.millis(max, "max"));
    }

    /**
     * Returns this policy for exceptions of this type, and of others that are named in the same way or with {@link
     * #delayOn}; after any other exception, the event goes DEAD.
     *
     * @throws IllegalStateException if there is a rule for the type already
     */
    default RetryPolicy retryOn(Class<? extends Throwable> type) {
        return RetryRules.none(this).retryOn(type);
    }

    /**
     * Returns this policy with an exception of this type sending the event to DEAD.
     *
     * @throws IllegalStateException if there is a rule for the type already
     */
    default RetryPolicy neverOn(Class<? extends Throwable> type) {
        return RetryRules.none(this).neverOn(type);
    }

    /**
     * Returns this policy with another one in charge of exceptions of this type.
     *
     * @throws IllegalStateException if there is a rule for the type already
     */
    default RetryPolicy delayOn(Class<? extends Throwable> type, RetryPolicy policy) {
        return RetryRules.none(this).delayOn(type, policy);
    }
}
