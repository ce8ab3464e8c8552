package io.outbox.jdbc.store;

/**
 * A part of the table that one range of an index holds.
 *
 * @param condition what is in it
 * @param order its order in a form that the index serves
 * @param hint what a planner needs to be told, right after SELECT, to take that index
 */
public record Partition(String condition, String order, String hint) {

    /** Returns a part for which a planner finds the index by itself. */
    public Partition(String condition, String order) {
        this(condition, order, "");
    }

    Sql fill(Sql statement) {
        return statement.with("hint", hint).with("partition", condition).with("order", order);
    }
}
