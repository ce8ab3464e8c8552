package io.outbox.model;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A dead event as operators see it: a letter of the dead letter queue, or a DEAD event of an outbox without one, which
 * counts as MOVED.
 *
 * @param event the event, with the attempts that it had when it died
 * @param state what has become of it
 * @param failure why the event died
 */
public record DeadLetter(OutboxEvent event, State state, Failure failure) {

    public DeadLetter {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(failure, "failure");
    }

    /**
     * What has become of a dead event.
     *
     * @param movedAt when it was moved out of the outbox, or {@code null} if it is still there
     * @param updatedAt when its status was changed last, or {@code null} if that is not known
     * @param updatedBy who changed it last, or {@code null} if nobody has
     */
    public record State(
            DlqStatus status,
            @Nullable Instant movedAt,
            @Nullable Instant updatedAt,
            @Nullable String updatedBy) {}

    /**
     * Why an event died.
     *
     * @param error the text of the last failure, or {@code null} if its listener gave none
     * @param fingerprint the same for failures that differ in numbers, ids and quoted text only
     * @param firstAt when the first attempt failed that is known of, or {@code null} if none is
     * @param lastAt when the last one failed, or {@code null} if that is not known
     */
    public record Failure(
            @Nullable String error,
            String fingerprint,
            @Nullable Instant firstAt,
            @Nullable Instant lastAt) {}

    public String eventId() {
        return event.eventId();
    }

    public DlqStatus status() {
        return state.status();
    }

    /** Leaves payload, headers and error out. */
    @Override
    public String toString() {
        return "DeadLetter[" + event + ", " + state + "]";
    }
}
