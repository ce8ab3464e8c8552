package io.outbox.spring.boot.test;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event that was written in the current test, and what has become of it.
 *
 * @param envelope the event as it was stored
 * @param status where it stands: NEW or RETRY while it waits, DONE or DEAD at the end
 * @param committed whether its transaction has committed, without which it is not delivered
 * @param attempts how many attempts to deliver it have failed
 * @param lastError the text that is stored with the last failure, or {@code null}
 * @param dueAt when it is due, or was at last
 */
public record WrittenEvent(
        EventEnvelope envelope,
        EventStatus status,
        boolean committed,
        int attempts,
        @Nullable String lastError,
        Instant dueAt) {

    public WrittenEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(dueAt, "dueAt");
    }

    static WrittenEvent of(EventEnvelope envelope) {
        Instant availableAt = envelope.availableAt();
        Instant dueAt = availableAt != null && envelope.isDelayed() ? availableAt : envelope.occurredAt();
        return new WrittenEvent(envelope, EventStatus.NEW, false, 0, null, dueAt);
    }

    public String eventId() {
        return envelope.eventId();
    }

    public String eventType() {
        return envelope.eventType();
    }

    /** Returns whether it still waits for its delivery, committed or not. */
    public boolean isPending() {
        return !status.isTerminal();
    }

    WrittenEvent whenCommitted() {
        return new WrittenEvent(envelope, status, true, attempts, lastError, dueAt);
    }

    /** Returns this event after an outcome that the store took. */
    WrittenEvent after(Outcome outcome, EventStatus result) {
        if (outcome instanceof Outcome.Failed failed) {
            return new WrittenEvent(envelope, result, committed, attempts + 1, failed.error(), failed.retryAt());
        }
        if (outcome instanceof Outcome.Deferred deferred) {
            return new WrittenEvent(envelope, result, committed, attempts, lastError, deferred.until());
        }
        String error = outcome instanceof Outcome.Dead dead ? dead.error() : lastError;
        return new WrittenEvent(envelope, result, committed, attempts, error, dueAt);
    }

    /** Returns this event as it is again after a replay at the given time. */
    WrittenEvent replayed(Instant at) {
        return new WrittenEvent(envelope, EventStatus.NEW, committed, 0, null, at);
    }
}
