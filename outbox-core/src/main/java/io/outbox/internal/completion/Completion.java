package io.outbox.internal.completion;

import io.outbox.EventEnvelope;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import java.util.function.Supplier;

/**
 * The end of one delivery attempt on its way to the store.
 *
 * @param envelope the event, or {@code null} if its row cannot be decoded, or nobody is going to ask for it
 * @param outcome what is to be written
 * @param failure what the listener threw, or {@code null}, and what to write if the store does not take the outcome
 */
public record Completion(Hold hold, String eventType, EventEnvelope envelope, Outcome outcome, Failure failure) {

    /**
     * What to know about an attempt in case of failure.
     *
     * @param error what the listener threw, or {@code null}
     * @param attempts the failed attempts that were known of before
     * @param ifRefused makes the outcome to write instead if the store does not take the true one
     */
    public record Failure(Throwable error, int attempts, Supplier<Outcome> ifRefused) {}

    /** Returns the completion of an event that was delivered, or failed to be. */
    public static Completion of(HeldEvent event, Outcome outcome, Failure failure) {
        return new Completion(event.hold(), event.eventType(), event.envelope(), outcome, failure);
    }

    /** Returns the completion of an event that nobody can read. */
    public static Completion undecodable(Hold hold, OutboxEvent row, Outcome outcome, Throwable reason) {
        return new Completion(
                hold,
                String.valueOf(row.eventType()),
                null,
                outcome,
                new Failure(reason, row.attempts(), () -> outcome));
    }

    /**
     * Returns the holder whose lock must be on the event. Success is final, so it may come under the latest lock;
     * another outcome would count twice if it were repeated under the lock of a later claim.
     */
    String holder() {
        return outcome instanceof Outcome.Done ? hold.latestHolder() : hold.holder();
    }

    /** Returns the event as it is stored after its last attempt; of one that cannot be decoded, id and type. */
    OutboxEvent asStored() {
        boolean failed = outcome instanceof Outcome.Failed;
        int attempts = failure.attempts() + (failed ? 1 : 0);
        if (envelope == null) {
            return new OutboxEvent(hold.eventId(), eventType, null, null, null, null, null, attempts, null, null);
        }
        return new OutboxEvent(
                hold.eventId(),
                eventType,
                envelope.aggregateType(),
                envelope.aggregateId(),
                envelope.tenantId(),
                envelope.storedPayload(),
                envelope.storedHeaders(),
                attempts,
                envelope.occurredAt(),
                failed ? ((Outcome.Failed) outcome).retryAt() : envelope.availableAt());
    }

    /** Returns the same without the event, of which nothing then stays in memory but its name. */
    Completion withoutEvent() {
        hold.leaveContent();
        return new Completion(hold, eventType, null, outcome, failure);
    }

    Completion with(Outcome other) {
        return new Completion(hold, eventType, envelope, other, failure);
    }
}
