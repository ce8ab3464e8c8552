package io.outbox.spi;

import io.outbox.model.DlqStatus;
import java.util.Objects;

/**
 * A request for dead letters, oldest first.
 *
 * @param filter which letters qualify
 * @param limit the largest number of letters to return
 * @param after where the previous page ended, or {@code null} for the first
 */
public record DeadLetterQuery(DeadLetterFilter filter, int limit, PageCursor after) {

    public DeadLetterQuery {
        Objects.requireNonNull(filter, "filter");
        Limits.atLeastOne(limit, "limit");
    }

    /** Returns a request for the first letters of a state; {@code null} is any state. */
    public static DeadLetterQuery of(DlqStatus status, int limit) {
        return matching(DeadLetterFilter.of(status, null, null), limit);
    }

    /** Returns a request for the first letters that match. */
    public static DeadLetterQuery matching(DeadLetterFilter filter, int limit) {
        return new DeadLetterQuery(filter, limit, null);
    }

    /** Returns the same request for the page that begins there. */
    public DeadLetterQuery after(PageCursor cursor) {
        return new DeadLetterQuery(filter, limit, cursor);
    }
}
