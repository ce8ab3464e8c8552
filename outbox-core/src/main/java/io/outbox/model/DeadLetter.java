package io.outbox.model;

import java.time.Instant;
import java.util.Objects;

/**
 * An event in the dead letter table.
 *
 * @param event the event, with the attempts that it had when it died
 * @param state what has become of the letter
 * @param failure why the event died
 */
public record DeadLetter(OutboxEvent event, State state, Failure failure) {

    public DeadLetter {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(failure, "failure");
    }

    /**
     * What has become of a letter.
     *
     * @param movedAt when it was moved out of the outbox
     * @param updatedAt when its status was changed last
     * @param updatedBy who changed it last, or {@code null} if nobody has
     */
    public record State(DlqStatus status, Instant movedAt, Instant updatedAt, String updatedBy) {}

    /**
     * Why an event died.
     *
     * @param error the text of the last failure, or {@code null} if its listener gave none
     * @param fingerprint the same for failures that differ in numbers, ids and quoted text only
     * @param firstAt when the first attempt failed that is known of
     * @param lastAt when the last one failed
     */
    public record Failure(String error, String fingerprint, Instant firstAt, Instant lastAt) {}

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
