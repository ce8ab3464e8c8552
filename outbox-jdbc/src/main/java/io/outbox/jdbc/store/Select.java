package io.outbox.jdbc.store;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A SELECT with its parameters.
 *
 * @param sql the statement
 * @param params its parameters
 */
record Select(String sql, List<Object> params) {

    /** Returns one SELECT for the rows of all these, in any order. */
    static Select union(List<Select> selects) {
        return selects.size() == 1
                ? selects.get(0)
                : new Select(
                        selects.stream().map(Select::sql).collect(Collectors.joining(") UNION ALL (", "(", ")")),
                        selects.stream()
                                .flatMap(select -> select.params.stream())
                                .toList());
    }
}
