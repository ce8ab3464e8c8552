package io.outbox;

import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.model.InspectedEvent;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where an event stands, as {@link Outbox#find} and {@link Outbox#await} tell it.
 *
 * @param eventType its type, or {@code null} if it has ended and its row is gone
 * @param attempts how many attempts have failed
 * @param dueAt when it is next due, or was; {@code null} if its row is gone
 * @param doneAt when it was delivered, if it was
 * @param heldBy the node that has it in hand, if one has
 * @param lastError the stored text of its last failure, which {@link FailureText} takes apart; {@code null} if there is
 * none
 */
public record EventView(
        String eventId,
        @Nullable String eventType,
        State state,
        int attempts,
        @Nullable Instant dueAt,
        @Nullable Instant doneAt,
        @Nullable String heldBy,
        @Nullable String lastError) {

    /** What becomes of an event at the moment. */
    public enum State {
        /** It waits for its first or next attempt. */
        WAITING,
        /** A node has it in hand, so its listener may be at work. */
        HELD,
        /** It was delivered. */
        DONE,
        /** It is not tried any more. */
        DEAD;

        /** Returns whether the event has reached its final state, unless an operator changes it. */
        public boolean isEnd() {
            return this == DONE || this == DEAD;
        }
    }

    public EventView {
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(state, "state");
    }

    static EventView of(InspectedEvent event, boolean isHeldHere) {
        String holder = event.lock() != null
                ? event.lock().node()
                : isHeldHere && !event.status().isTerminal() ? WaitingChange.THIS_NODE : null;
        return new EventView(
                event.event().eventId(),
                event.event().eventType(),
                state(event.status(), holder),
                event.event().attempts(),
                event.event().availableAt(),
                event.doneAt(),
                holder,
                event.lastError());
    }

    private static State state(EventStatus status, @Nullable String holder) {
        return switch (status) {
            case DONE -> State.DONE;
            case DEAD -> State.DEAD;
            case NEW, RETRY -> holder == null ? State.WAITING : State.HELD;
        };
    }

    /** Returns the view of an event whose row is gone: only its end removes it. */
    EventView gone() {
        return new EventView(eventId, eventType, State.DONE, attempts, dueAt, doneAt, null, lastError);
    }

    /** Returns what stands behind the last failure: the innermost cause, in one line, if there was one. */
    public @Nullable String rootCause() {
        return lastError == null ? null : FailureText.of(lastError).root();
    }
}
