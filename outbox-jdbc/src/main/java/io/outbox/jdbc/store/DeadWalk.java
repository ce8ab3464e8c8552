package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.DeadLetter;
import io.outbox.model.Tally;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads and counts dead events along ranges of an index, without locks. What no index finds is looked for in a window
 * of so many events of each range.
 */
final class DeadWalk {

    private static final String ROWS = """
            SELECT {hint}{narrow} FROM {source} WHERE {range} ORDER BY {order} LIMIT {window}""";

    /**
     * The state is not part of the order again: outside of the window PostgreSQL does not see that it is one, and would
     * sort.
     */
    private static final String MATCHING = """
            SELECT {narrow} FROM ({rows}) w WHERE {rest} ORDER BY {outer} LIMIT ?""";

    private static final String END = """
            SELECT {hint}created_at, event_id FROM {source} WHERE {range} ORDER BY {order} LIMIT 1 OFFSET {last}""";

    private static final String COUNT = """
            SELECT COUNT(*) FROM (SELECT {hint}1 AS one FROM {source} WHERE {range} LIMIT {most}) w""";

    private static final String COUNT_MATCHING = """
            SELECT COUNT(*) AS looked_at, COUNT(CASE WHEN {rest} THEN 1 END) AS matching FROM ({rows}) w""";

    static final Comparator<DeadLetter> IN_ORDER = Comparator.comparing(letter -> DeadCursor.of(letter.event()));

    private final AbstractJdbcOutboxStore store;
    private final Function<String, Sql> sql;
    private final JdbcTemplate.RowMapper<DeadLetter> mapper;

    /** @param sql fills the gaps of a statement that say what is read: {@code source} and {@code narrow} */
    DeadWalk(AbstractJdbcOutboxStore store, Function<String, Sql> sql, JdbcTemplate.RowMapper<DeadLetter> mapper) {
        this.store = store;
        this.sql = sql;
        this.mapper = mapper;
    }

    /** Reads range by range, and as far as all ranges have been looked at. */
    Page<DeadLetter> read(Connection conn, DeadOrder order, List<DeadRange> ranges, int window, int limit) {
        List<DeadLetter> found = new ArrayList<>();
        List<DeadCursor> ends = new ArrayList<>();
        for (DeadRange range : ranges) {
            List<DeadLetter> some = readOne(conn, order, range, window, limit);
            found.addAll(some);
            Optional<DeadCursor> end = some.size() == limit
                    ? Optional.of(DeadCursor.of(some.get(some.size() - 1).event()))
                    : windowEnd(conn, range, window);
            end.ifPresent(ends::add);
        }
        Comparator<DeadCursor> places = order.places();
        DeadCursor seenTo = ends.stream().min(places).orElse(null);
        List<DeadLetter> page = found.stream()
                .filter(letter -> seenTo == null || places.compare(DeadCursor.of(letter.event()), seenTo) <= 0)
                .sorted(Comparator.comparing(letter -> DeadCursor.of(letter.event()), places))
                .limit(limit)
                .toList();
        return new Page<>(
                page,
                page.size() < limit
                        ? seenTo
                        : DeadCursor.of(page.get(page.size() - 1).event()));
    }

    private List<DeadLetter> readOne(Connection conn, DeadOrder order, DeadRange range, int window, int limit) {
        List<Object> params = new ArrayList<>(range.range().params());
        params.addAll(range.rest().params());
        boolean isAllMatching = range.rest().isEmpty();
        if (!isAllMatching) {
            params.add(limit);
        }
        Sql rows = isAllMatching
                ? fill(ROWS, range, limit)
                : fill(MATCHING, range, window).with("outer", order.by("created_at, event_id"));
        return rows.query(conn, mapper, params.toArray());
    }

    /** Returns the last place of the window, if there is a window and it is full. */
    private Optional<DeadCursor> windowEnd(Connection conn, DeadRange range, int window) {
        if (range.rest().isEmpty()) {
            return Optional.empty();
        }
        return fill(END, range, window)
                .first(
                        conn,
                        row -> new DeadCursor(JdbcTemplate.instant(row, "created_at"), row.getString("event_id")),
                        range.range().params().toArray());
    }

    private Sql fill(String template, DeadRange range, int window) {
        return sql.apply(template.replace("{rows}", ROWS))
                .with("range", range.range().sql())
                .with("rest", range.rest().sql())
                .with("failure", store.failureSql())
                .with("order", range.order())
                .with("hint", range.hint())
                .with("window", window)
                .with("last", window - 1)
                .with("most", InspectionBackend.MOST_COUNTED);
    }

    /** Counts what matches in all ranges, in each up to a limit or in a window. */
    Tally tally(Connection conn, List<DeadRange> ranges, int window) {
        List<Tally> tallies =
                ranges.stream().map(range -> tally(conn, range, window)).toList();
        return new Tally(
                tallies.stream().mapToLong(Tally::count).sum(), tallies.stream().allMatch(Tally::exact));
    }

    private Tally tally(Connection conn, DeadRange range, int window) {
        if (range.rest().isEmpty()) {
            long count = fill(COUNT, range, window)
                    .one(conn, row -> row.getLong(1), range.range().params().toArray());
            return new Tally(count, count < InspectionBackend.MOST_COUNTED);
        }
        List<Object> params = new ArrayList<>(range.rest().params());
        params.addAll(range.range().params());
        return fill(COUNT_MATCHING, range, window)
                .one(
                        conn,
                        row -> new Tally(row.getLong("matching"), row.getLong("looked_at") < window),
                        params.toArray());
    }
}
