package io.outbox.spi;

import io.outbox.model.DlqStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for dead letters, by the time at which their events were created.
 *
 * @param filter which letters qualify
 * @param limit the largest number of letters to return
 * @param after where the previous page ended, in the same order, or {@code null} for the first
 * @param order which come first
 */
public record DeadLetterQuery(
        DeadLetterFilter filter, int limit, @Nullable PageCursor after, Order order) {

    /** Which letters come first. */
    public enum Order {
        OLDEST_FIRST,
        NEWEST_FIRST
    }

    public DeadLetterQuery {
        Objects.requireNonNull(filter, "filter");
        Objects.requireNonNull(order, "order");
        Limits.atLeastOne(limit, "limit");
    }

    /** A request for letters, oldest first. */
    public DeadLetterQuery(DeadLetterFilter filter, int limit, @Nullable PageCursor after) {
        this(filter, limit, after, Order.OLDEST_FIRST);
    }

    /** Returns a request for the first letters of a state, or of all. */
    public static DeadLetterQuery of(@Nullable DlqStatus status, int limit) {
        return matching(DeadLetterFilter.of(status, null, null), limit);
    }

    /** Returns a request for the first letters that match. */
    public static DeadLetterQuery matching(DeadLetterFilter filter, int limit) {
        return new DeadLetterQuery(filter, limit, null);
    }

    /** Returns the same request for the page that begins there. */
    public DeadLetterQuery after(@Nullable PageCursor cursor) {
        return new DeadLetterQuery(filter, limit, cursor, order);
    }

    /** Returns the same request in another order. */
    public DeadLetterQuery in(Order other) {
        return new DeadLetterQuery(filter, limit, after, other);
    }
}
