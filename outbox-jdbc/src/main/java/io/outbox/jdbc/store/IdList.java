package io.outbox.jdbc.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Event ids for an SQL {@code IN} list. The list is padded with repetitions to a power of two, so that drivers and
 * databases see few different statements and can reuse their plans.
 */
final class IdList {

    /** The most ids that one statement takes. */
    static final int MAX_SIZE = 512;

    private final List<String> ids;
    private final int places;

    private IdList(List<String> ids) {
        this.ids = ids;
        this.places = Integer.highestOneBit(Math.max(1, ids.size() - 1) * 2 - (ids.size() <= 1 ? 1 : 0));
    }

    /** Returns a list of all the ids, of which there must not be too many for one statement. */
    static IdList of(List<String> ids) {
        return new IdList(List.copyOf(ids));
    }

    /** Splits ids into lists of a size that every database takes. */
    static List<IdList> chunks(Collection<String> ids) {
        List<String> all = List.copyOf(ids);
        List<IdList> chunks = new ArrayList<>();
        for (int from = 0; from < all.size(); from += MAX_SIZE) {
            chunks.add(new IdList(all.subList(from, Math.min(from + MAX_SIZE, all.size()))));
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
        return "(" + String.join(", ", Collections.nCopies(places, "?")) + ")";
    }

    /** Returns all parameters of a statement: some before the list, the ids, some after it. */
    Object[] params(List<?> before, List<?> after) {
        List<Object> params = new ArrayList<>(before);
        params.addAll(ids);
        for (int i = ids.size(); i < places; i++) {
            params.add(ids.get(ids.size() - 1));
        }
        params.addAll(after);
        return params.toArray();
    }
}
