package io.outbox.jdbc.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Event ids for the condition of a statement: an SQL {@code IN} list, or one array where the database takes that. A
 * list is padded with repetitions to a power of two, so that drivers and databases see few different statements and can
 * reuse their plans; an array needs neither the many parameters nor that.
 *
 * <p>A single id is listed with one that no event has. MySQL and MariaDB read the row of one key before they look at
 * the other conditions, and keep its lock until the transaction ends even if those do not hold: the lock of an event
 * that is somebody else's.
 */
final class IdList {

    /** The most ids that one statement takes. */
    static final int MAX_SIZE = 512;

    /** Blank, which no id is, and not empty, which Oracle takes for NULL; it stands before all ids. */
    static final String NO_EVENT = " ";

    private final List<String> ids;
    private final int places;
    private final boolean array;

    private IdList(List<String> ids, boolean array) {
        this.ids = ids;
        this.array = array;
        this.places = Integer.highestOneBit(Math.max(1, ids.size() - 1) * 2);
    }

    /** Returns a list of all the ids, of which there must not be too many for one statement. */
    static IdList of(List<String> ids) {
        return new IdList(List.copyOf(ids), false);
    }

    /** Splits ids into lists of a size that every database takes. */
    static List<IdList> chunks(Collection<String> ids) {
        return chunks(ids, false);
    }

    /**
     * As {@link #chunks}, in the order of the ids and without repetitions: all who lock rows do so in the same order.
     */
    static List<IdList> sorted(Collection<String> ids) {
        return chunks(new TreeSet<>(ids));
    }

    /** Splits ids into lists of a size that every database takes, each of which is a single parameter. */
    static List<IdList> arrays(Collection<String> ids) {
        return chunks(ids, true);
    }

    private static List<IdList> chunks(Collection<String> ids, boolean array) {
        List<String> all = List.copyOf(ids);
        List<IdList> chunks = new ArrayList<>();
        for (int from = 0; from < all.size(); from += MAX_SIZE) {
            chunks.add(new IdList(all.subList(from, Math.min(from + MAX_SIZE, all.size())), array));
        }
        return chunks;
    }

    List<String> ids() {
        return ids;
    }

    int size() {
        return ids.size();
    }

    /** Returns the placeholders in parentheses. */
    String sql() {
        return places(places);
    }

    /**
     * Returns the condition for a column that has one of so many values, in lists of a length that every database
     * takes.
     */
    static String among(String column, int count) {
        List<String> lists = lists(column + " IN ", count);
        return lists.size() == 1 ? lists.get(0) : "(" + String.join(" OR ", lists) + ")";
    }

    /**
     * Returns the condition for a column that has none of so many values, in lists of a length that every database
     * takes.
     */
    static String notAmong(String column, int count) {
        return String.join(" AND ", lists(column + " NOT IN ", count));
    }

    private static List<String> lists(String condition, int count) {
        List<String> lists = new ArrayList<>();
        for (int left = count; left > 0; left -= MAX_SIZE) {
            lists.add(condition + places(Math.min(left, MAX_SIZE)));
        }
        return lists;
    }

    /** Returns that many placeholders in parentheses. */
    private static String places(int count) {
        return "(" + String.join(", ", Collections.nCopies(count, "?")) + ")";
    }

    /** Returns the condition for a column that has one of the ids, without the column. */
    String among() {
        return array ? "= ANY(?)" : "IN " + sql();
    }

    /** Returns all parameters of a statement: some before the list, the ids, some after it. */
    Object[] params(List<?> before, List<?> after) {
        List<Object> params = new ArrayList<>(before);
        if (array) {
            params.add(ids.toArray(String[]::new));
        } else {
            addPadded(params);
        }
        params.addAll(after);
        return params.toArray();
    }

    private void addPadded(List<Object> params) {
        params.addAll(ids);
        String padding = ids.size() == 1 ? NO_EVENT : ids.get(ids.size() - 1);
        params.addAll(Collections.nCopies(places - ids.size(), padding));
    }
}
