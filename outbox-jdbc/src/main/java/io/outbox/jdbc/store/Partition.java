package io.outbox.jdbc.store;

import io.outbox.model.EventStatus;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A part of the table that one range of an index holds.
 *
 * @param states the states of its events
 * @param restriction what else is true of all of them, or empty
 * @param order its order in a form that the index serves
 * @param hint what a planner needs to be told, right after SELECT, to take that index
 * @param index what it needs to be told behind the name of the table, if it may take no other index
 */
public record Partition(List<EventStatus> states, String restriction, String order, String hint, String index) {

    private static final String COUNT = """
            SELECT COUNT(*) FROM (SELECT {hint}1 AS one FROM {table}{index} WHERE {partition} ORDER BY {order} LIMIT {most}) w""";

    public Partition {
        states = List.copyOf(states);
    }

    public Partition(List<EventStatus> states, String restriction, String order, String hint) {
        this(states, restriction, order, hint, "");
    }

    /** Returns a part with all events of some states, for which a planner finds the index by itself. */
    public Partition(List<EventStatus> states, String order) {
        this(states, "", order, "");
    }

    /** Returns the condition for what is in it. */
    public String condition() {
        String codes =
                states.stream().map(state -> String.valueOf(state.code())).collect(Collectors.joining(", "));
        String condition = states.size() == 1 ? "status = " + codes : "status IN (" + codes + ")";
        return restriction.isEmpty() ? condition : condition + " AND " + restriction;
    }

    Partition reversed() {
        return new Partition(states, restriction, order.replace(",", " DESC,") + " DESC", hint, index);
    }

    /** Counts its events in the order of the index, and no more than so many. */
    int count(Connection conn, AbstractJdbcOutboxStore store, int most) {
        return fill(store.sql(COUNT)).with("most", most).one(conn, row -> row.getInt(1));
    }

    Sql fill(Sql statement) {
        return statement
                .with("hint", hint)
                .with("index", index)
                .with("partition", condition())
                .with("order", order);
    }
}
