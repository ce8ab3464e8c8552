package io.outbox.spi;

import io.outbox.model.DlqStatus;

/**
 * A request for dead letters, oldest first.
 *
 * @param status the only state that qualifies, or {@code null} for all
 * @param eventType the only type that qualifies, or {@code null} for all
 * @param fingerprint the only kind of failure that qualifies, or {@code null} for all
 * @param limit the largest number of letters to return
 * @param after where the previous page ended, or {@code null} for the first
 */
public record DeadLetterQuery(DlqStatus status, String eventType, String fingerprint, int limit, PageCursor after) {

    public DeadLetterQuery {
        Limits.requireAtLeastOne(limit, "limit");
    }

    /** Returns a request for the first letters of a state; {@code null} is any state. */
    public static DeadLetterQuery of(DlqStatus status, int limit) {
        return new DeadLetterQuery(status, null, null, limit, null);
    }

    /** Returns the same request for the page that begins there. */
    public DeadLetterQuery after(PageCursor cursor) {
        return new DeadLetterQuery(status, eventType, fingerprint, limit, cursor);
    }
}
