package io.outbox.jdbc.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The condition of a {@link DueRange}, without that on the status, in the form from which a database finds its index.
 *
 * @param sql the condition
 * @param params its parameters
 */
record DueCondition(String sql, List<Object> params) {

    /** Returns the parameters, followed by others. */
    List<Object> params(Object... more) {
        List<Object> all = new ArrayList<>(params);
        all.addAll(List.of(more));
        return all;
    }
}
