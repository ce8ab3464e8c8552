package io.outbox.jdbc.store;

import io.outbox.model.EventStatus;
import java.sql.Connection;

/**
 * A part of the table that one range of an index holds.
 *
 * @param condition what is in it
 * @param order its order in a form that the index serves
 * @param hint what a planner needs to be told, right after SELECT, to take that index
 */
public record Partition(String condition, String order, String hint) {

    private static final String COUNT = """
            SELECT COUNT(*) FROM (SELECT {hint}1 AS one FROM {table} WHERE {partition} ORDER BY {order} LIMIT {most}) w""";

    /** Returns a part for which a planner finds the index by itself. */
    public Partition(String condition, String order) {
        this(condition, order, "");
    }

    /** Returns whether it can have events in a state: its condition begins with the states that it is for. */
    boolean mayHave(EventStatus state) {
        return condition.matches("status (= |IN \\((\\d, )*)" + state.code() + "\\b.*");
    }

    /** Counts its events in the order of the index, and no more than so many. */
    int count(Connection conn, AbstractJdbcOutboxStore store, int most) {
        String sql = fill(store.sql(COUNT)).with("most", String.valueOf(most)).toString();
        return store.statements().query(conn, sql, row -> row.getInt(1)).get(0);
    }

    Sql fill(Sql statement) {
        return statement.with("hint", hint).with("partition", condition).with("order", order);
    }
}
