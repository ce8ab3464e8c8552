package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A statement of a store with named gaps, as <code>{table}</code>. What fills them is text of our own or a validated
 * table name; values are parameters.
 *
 * @param runner runs it as the store's database wants it
 */
record Sql(String text, JdbcTemplate.Statements runner) {

    /** Reads the id of an event. */
    static final JdbcTemplate.RowMapper<String> EVENT_ID = row -> row.getString("event_id");

    /** Returns the statement with a gap filled. */
    Sql with(String gap, String filling) {
        return new Sql(text.replace("{" + gap + "}", filling), runner);
    }

    /** Returns the statement with a gap filled by a number. */
    Sql with(String gap, long number) {
        return with(gap, String.valueOf(number));
    }

    /** Returns the statement for the ids, whose condition is the gap {@code among}. */
    private Sql among(IdList ids) {
        return with("among", ids.among());
    }

    <T> List<T> query(Connection conn, JdbcTemplate.RowMapper<T> mapper, Object... params) {
        return runner.query(conn, toString(), mapper, params);
    }

    /**
     * Returns the rows with one of the ids, whose condition is the gap {@code among} and the first of the parameters.
     */
    <T> List<T> queryAmong(
            Connection conn, List<IdList> lists, JdbcTemplate.RowMapper<T> mapper, Object... paramsBehind) {
        List<T> rows = new ArrayList<>();
        for (IdList ids : lists) {
            rows.addAll(among(ids).query(conn, mapper, ids.params(List.of(), List.of(paramsBehind))));
        }
        return rows;
    }

    /** Returns the only row. */
    <T> T one(Connection conn, JdbcTemplate.RowMapper<T> mapper, Object... params) {
        return query(conn, mapper, params).get(0);
    }

    /** Returns the first row, which must not be read as {@code null}. */
    <T> Optional<T> first(Connection conn, JdbcTemplate.RowMapper<T> mapper, Object... params) {
        return query(conn, mapper, params).stream().findFirst();
    }

    int update(Connection conn, Object... params) {
        return runner.update(conn, toString(), params);
    }

    /**
     * Changes the rows with one of the ids, whose condition is the gap {@code among} and the last of the parameters.
     */
    int updateAmong(Connection conn, List<IdList> lists, Object... paramsBefore) {
        return lists.stream()
                .mapToInt(ids -> among(ids).update(conn, ids.params(Arrays.asList(paramsBefore), List.of())))
                .sum();
    }

    void batch(Connection conn, List<Object[]> rows) {
        runner.batch(conn, toString(), rows);
    }

    @Override
    public String toString() {
        return text.strip();
    }
}
