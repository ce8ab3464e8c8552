package io.outbox.jdbc.internal;

import java.util.List;

/**
 * An index as DDL defines it.
 *
 * @param columns its columns, in order
 * @param statement the statement that creates it
 */
public record IndexDefinition(List<String> columns, String statement) {

    /** Returns the column that the index orders events of one status by. */
    static String leading(List<String> columns) {
        return columns.get(columns.get(0).equals("status") && columns.size() > 1 ? 1 : 0);
    }

    /** Returns whether an index with these columns serves as well. */
    boolean isServedBy(List<String> others) {
        return leading(columns).equals(leading(others));
    }
}
