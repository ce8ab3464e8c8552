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

    /**
     * Returns whether an index with these columns serves as well.
     *
     * @param freely whether it is enough that the index orders events of one status by the same column
     */
    boolean isServedBy(List<String> others, boolean freely) {
        return freely
                ? leading(columns).equals(leading(others))
                : others.size() >= columns.size()
                        && others.subList(0, columns.size()).equals(columns);
    }
}
