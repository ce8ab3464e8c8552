package io.outbox;

import io.outbox.spi.Limits;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Information about the delivery of an event.
 *
 * @param attempt which attempt this is: 1 for the first, one more than the failures counted so far. Deferrals and
 *     unavailable targets do not count; a replay starts again at 1
 * @param lastError the exception of the last failure and its causes, as they are stored, without stack trace; {@code
 *     null} if there was none or the store does not tell
 * @param writtenAt when the event was written, which is when it {@linkplain EventEnvelope#occurredAt() occurred}
 */
public record DeliveryInfo(int attempt, @Nullable String lastError, Instant writtenAt) {

    public DeliveryInfo {
        Limits.atLeastOne(attempt, "attempt");
        Objects.requireNonNull(writtenAt, "writtenAt");
    }

    /** Returns the information for a first delivery; also useful in tests of listeners. */
    public static DeliveryInfo first(EventEnvelope event) {
        return new DeliveryInfo(1, null, event.occurredAt());
    }

    /** Returns whether an attempt has failed before. */
    public boolean isRetry() {
        return attempt > 1;
    }

    /** Leaves the error out, which may quote what an application keeps to itself. */
    @Override
    public String toString() {
        return "DeliveryInfo[attempt=" + attempt + ", writtenAt=" + writtenAt + "]";
    }
}
