package io.outbox.internal.completion;

import io.outbox.EventEnvelope;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.spi.Outcome;
import java.util.function.Supplier;

/**
 * The end of one delivery attempt on its way to the store.
 *
 * @param envelope the event, or {@code null} if its row cannot be decoded
 * @param outcome what is to be written
 * @param failure what the listener threw, or {@code null}, and what to write if the store does not take the outcome
 */
public record Completion(Hold hold, String eventType, EventEnvelope envelope, Outcome outcome, Failure failure) {

    /**
     * What to know about an attempt in case of failure.
     *
     * @param error what the listener threw, or {@code null}
     * @param ifRefused makes the outcome to write instead if the store does not take the true one
     */
    public record Failure(Throwable error, Supplier<Outcome> ifRefused) {}

    /** Returns the completion of an event that was delivered, or failed to be. */
    public static Completion of(HeldEvent event, Outcome outcome, Failure failure) {
        return new Completion(event.hold(), event.eventType(), event.envelope(), outcome, failure);
    }

    /** Returns the completion of an event that nobody can read. */
    public static Completion undecodable(Hold hold, String eventType, Outcome.Dead dead, Throwable reason) {
        return new Completion(hold, eventType, null, dead, new Failure(reason, () -> dead));
    }

    String ownerId() {
        return hold.ownerId();
    }

    Completion with(Outcome other) {
        return new Completion(hold, eventType, envelope, other, failure);
    }
}
