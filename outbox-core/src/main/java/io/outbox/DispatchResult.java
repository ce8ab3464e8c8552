package io.outbox;

import io.outbox.spi.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a listener made of an event. A failure is told by an exception instead. */
public sealed interface DispatchResult permits DispatchResult.Done, DispatchResult.RetryAfter, DispatchResult.Dead {

    /** The event was processed. */
    static Done done() {
        return Done.INSTANCE;
    }

    /** The event cannot be completed yet; it is delivered again after {@code delay}, and no attempt is counted. */
    static RetryAfter retryAfter(Duration delay) {
        return new RetryAfter(delay);
    }

    /** The event must not be retried. */
    static Dead dead() {
        return new Dead(null);
    }

    /** The event must not be retried, for a reason that operators will read, if there is one. */
    static Dead dead(@Nullable String reason) {
        return new Dead(reason);
    }

    record Done() implements DispatchResult {
        private static final Done INSTANCE = new Done();
    }

    record RetryAfter(Duration delay) implements DispatchResult {
        public RetryAfter {
            Limits.notNegative(delay, "delay");
        }
    }

    record Dead(@Nullable String reason) implements DispatchResult {}
}
