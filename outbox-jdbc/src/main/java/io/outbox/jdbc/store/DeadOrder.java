package io.outbox.jdbc.store;

import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.PageCursor;
import java.util.Comparator;

/** The direction in which ranges of dead events are read. */
enum DeadOrder {
    OLDEST_FIRST(DeadCursor.FOLLOWS, "", Comparator.naturalOrder()),
    NEWEST_FIRST("created_at <= ? AND (created_at < ? OR event_id < ?)", " DESC", Comparator.reverseOrder());

    private final String behind;
    private final String direction;
    private final Comparator<DeadCursor> places;

    DeadOrder(String behind, String direction, Comparator<DeadCursor> places) {
        this.behind = behind;
        this.direction = direction;
        this.places = places;
    }

    static DeadOrder of(DeadLetterQuery query) {
        return query.order() == DeadLetterQuery.Order.NEWEST_FIRST ? NEWEST_FIRST : OLDEST_FIRST;
    }

    /** Returns where a page begins; {@code null} for the newest. */
    DeadCursor start(PageCursor after) {
        return after == null && this == NEWEST_FIRST ? null : DeadCursor.from(after);
    }

    /** Returns the condition for what is behind a place. */
    String behind() {
        return behind;
    }

    /** Returns columns of an index in this direction. */
    String by(String columns) {
        return columns.replace(",", direction + ",") + direction;
    }

    Comparator<DeadCursor> places() {
        return places;
    }
}
