package io.outbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Receives the outcomes of events once they are durable: a callback for audits, alerts and follow-up work.
 *
 * <p>Called once for each outcome that the store took from this node: not for one that it refused because another node
 * has the event by now, and not for attempts that are followed by another. If the process dies between the outcome and
 * the call, the call is not made up for; what must not be missed is read from the store.
 *
 * <p>The calls come one at a time, on the thread that writes outcomes (the calling thread during {@link
 * Outbox#deliverDue()} and {@link Outbox#close()}). A slow listener holds up the outcomes behind it, and in the end
 * delivery, so leave longer work to a thread of your own. What it throws is logged and changes nothing. It may write
 * events, in a transaction of its own, but must not close the outbox.
 */
public interface CompletionListener {

    /** The event was delivered, and the store knows it. */
    default void onDone(EventEnvelope event) {}

    /** The event will not be tried again, and the store knows it. */
    default void onDead(DeadEvent event) {}

    /**
     * An event that has gone DEAD.
     *
     * @param eventType the event's type; the text {@code "null"} if its row has none
     * @param envelope the event, or {@code null} if its row cannot be decoded
     * @param reason the text that is stored with the event, which {@link io.outbox.model.FailureText} takes apart;
     * {@code null}
     *     if the listener gave none
     * @param cause what was thrown at last, by the listener, an interceptor or the decoding of the row; {@code null} if
     * the
     *     listener returned {@link DispatchResult#dead()}
     */
    record DeadEvent(
            String eventId,
            String eventType,
            @Nullable EventEnvelope envelope,
            @Nullable String reason,
            @Nullable Throwable cause) {

        public DeadEvent {
            Objects.requireNonNull(eventId, "eventId");
            Objects.requireNonNull(eventType, "eventType");
        }

        /** Leaves the reason out, which may quote what an application keeps to itself. */
        @Override
        public String toString() {
            return "DeadEvent[eventId=" + eventId + ", eventType=" + eventType + "]";
        }
    }
}
