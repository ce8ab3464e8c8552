package io.outbox.jdbc.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where a page ends: with so many events, or with the one that reaches the number of bytes, whichever comes first.
 *
 * @param count the largest number of events
 * @param bytes about how many bytes of payloads and headers
 */
record PageLimit(int count, long bytes) {

    static PageLimit ofCount(int count) {
        return new PageLimit(count, Long.MAX_VALUE);
    }

    /** What was read of an event, and the size that its row tells. */
    record Sized<T>(T item, long bytes) {

        static <T> Sized<T> of(T item, ResultSet row) throws SQLException {
            return new Sized<>(item, row.getLong("bytes"));
        }
    }

    /**
     * The events of a page.
     *
     * @param isFull whether more may follow
     */
    record Cut<T>(List<T> items, boolean isFull) {}

    /** Returns the page that the events begin with, which are in the order of pages. */
    <T> Cut<T> cut(Iterable<Sized<T>> events) {
        List<T> items = new ArrayList<>();
        Predicate<Sized<T>> isLast = last();
        for (Sized<T> event : events) {
            items.add(event.item);
            if (isLast.test(event)) {
                return new Cut<>(items, true);
            }
        }
        return new Cut<>(items, false);
    }

    /** Returns what tells the last event of a page, asked for each in turn. */
    <T> Predicate<Sized<T>> last() {
        long[] total = new long[2];
        return event -> ++total[0] >= count || (total[1] += event.bytes) >= bytes;
    }
}
