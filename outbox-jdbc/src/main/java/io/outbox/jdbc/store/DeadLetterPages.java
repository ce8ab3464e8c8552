package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Reads and counts dead letters without locking them. States are literals, and each is a range of the index by itself. What no
 * index finds is looked for in a window of at most {@value JdbcInspection#WINDOW} letters of a state, or half as many of each if all
 * states are asked for.
 */
final class DeadLetterPages {

    private static final String DEAD = """
            SELECT {columns} FROM {letters} WHERE status = 0 AND {follows}{types}
            ORDER BY status, created_at, event_id LIMIT ?""";

    private static final String COUNT = "SELECT COUNT(*) FROM {letters} WHERE status = {status}{types}";

    private static final String COUNT_SOME = """
            SELECT COUNT(*) FROM (
              SELECT 1 AS one FROM {letters} WHERE status = {status} ORDER BY status, created_at, event_id LIMIT {most}) w""";

    private static final String PAGE = """
            SELECT {narrow} FROM {letters} WHERE {range} ORDER BY status, created_at, event_id LIMIT ?""";

    private static final String WINDOW = """
            SELECT {narrow} FROM {letters} WHERE {range} ORDER BY status, created_at, event_id LIMIT {window}""";

    /** The state is not part of the order again: outside of the window PostgreSQL does not see that it is one, and would sort. */
    private static final String WALK = """
            SELECT {narrow} FROM ({rows}) w WHERE {rest} ORDER BY created_at, event_id LIMIT ?""";

    private static final String WALK_END = """
            SELECT created_at, event_id FROM {letters} WHERE {range}
            ORDER BY status, created_at, event_id LIMIT 1 OFFSET {last}""";

    private static final String TALLY = """
            SELECT COUNT(*) FROM (SELECT 1 AS one FROM {letters} WHERE {range} LIMIT {most}) w""";

    private static final String TALLY_OF_WINDOW = """
            SELECT COUNT(*) AS looked_at, COUNT(CASE WHEN {rest} THEN 1 END) AS matching FROM ({rows}) w""";

    private static final String LIST = """
            SELECT {letter} FROM {letters} WHERE status = {status}
            ORDER BY status, created_at, event_id LIMIT ? OFFSET ?""";

    private static final String FIRST_IDS = """
            SELECT * FROM (SELECT event_id, created_at FROM {letters} WHERE status = {status}
            ORDER BY status, created_at, event_id LIMIT ?) w{status}""";

    private static final String LIST_IDS = """
            SELECT event_id FROM ({first_ids}) w ORDER BY created_at, event_id LIMIT ? OFFSET ?""";

    private static final String COUNTS = """
            SELECT event_type, status, COUNT(*) AS letters FROM {letters} GROUP BY event_type, status
            ORDER BY event_type, status""";

    private static final String SETTLED = """
            SELECT event_id FROM {letters} WHERE status = 3 AND updated_at < ?
            ORDER BY status, updated_at LIMIT ?{lock}""";

    private static final String OF_TYPE = " AND event_type = ?";
    private static final String OF_AGGREGATE_TYPE = " AND aggregate_type = ?";

    private static final Comparator<DeadLetter> IN_ORDER =
            Comparator.comparing(letter -> DeadCursor.of(letter.event()));

    private final AbstractJdbcOutboxStore store;
    private final DeadLetterTable letters;

    DeadLetterPages(AbstractJdbcOutboxStore store, DeadLetterTable letters) {
        this.store = store;
        this.letters = letters;
    }

    /** Returns events of letters that nobody has decided on. */
    List<OutboxEvent> dead(Connection conn, DeadQuery query) {
        List<Object> params = new ArrayList<>(DeadCursor.from(query.after()).params());
        String types = condition(params, OF_TYPE, query.eventType())
                + condition(params, OF_AGGREGATE_TYPE, query.aggregateType());
        params.add(query.limit());
        String sql = letters.sql(DEAD)
                .with("follows", DeadCursor.FOLLOWS)
                .with("types", types)
                .toString();
        return store.statements().query(conn, sql, store::mapRow, params.toArray());
    }

    private static String condition(List<Object> params, String sql, String value) {
        if (value == null) {
            return "";
        }
        params.add(value);
        return sql;
    }

    int countMoved(Connection conn, String eventType) {
        return (int) count(conn, DlqStatus.MOVED, eventType);
    }

    /** Counts state by state, each by its index. */
    long count(Connection conn, DlqStatus status, String eventType) {
        List<Object> params = new ArrayList<>();
        String types = condition(params, OF_TYPE, eventType);
        return states(status).stream()
                .mapToLong(state -> number(conn, of(COUNT, state).with("types", types), params.toArray()))
                .sum();
    }

    Map<DlqStatus, Long> countByState(Connection conn, int most) {
        Map<DlqStatus, Long> counts = new EnumMap<>(DlqStatus.class);
        for (DlqStatus state : DlqStatus.values()) {
            counts.put(state, number(conn, of(COUNT_SOME, state).with("most", String.valueOf(most))));
        }
        return counts;
    }

    private static List<DlqStatus> states(DlqStatus status) {
        return status == null ? List.of(DlqStatus.values()) : List.of(status);
    }

    private Sql of(String template, DlqStatus state) {
        return letters.sql(template).with("status", String.valueOf(state.code()));
    }

    private long number(Connection conn, Sql sql, Object... params) {
        return store.statements()
                .query(conn, sql.toString(), row -> row.getLong(1), params)
                .get(0);
    }

    /** Reads state by state, and as far as all states have been looked at. */
    Page<DeadLetter> read(Connection conn, DeadLetterQuery query) {
        List<DeadLetter> found = new ArrayList<>();
        List<DeadCursor> ends = new ArrayList<>();
        int window = window(query.filter().status());
        for (DlqStatus state : states(query.filter().status())) {
            LetterConditions conditions = LetterConditions.of(query.filter(), state, DeadCursor.from(query.after()));
            List<DeadLetter> some = read(conn, conditions, window, query.limit());
            found.addAll(some);
            Optional<DeadCursor> end = some.size() == query.limit()
                    ? Optional.of(DeadCursor.of(some.get(some.size() - 1).event()))
                    : windowEnd(conn, conditions, window);
            end.ifPresent(ends::add);
        }
        DeadCursor seenTo = ends.stream().min(Comparator.naturalOrder()).orElse(null);
        List<DeadLetter> page = found.stream()
                .filter(letter ->
                        seenTo == null || DeadCursor.of(letter.event()).compareTo(seenTo) <= 0)
                .sorted(IN_ORDER)
                .limit(query.limit())
                .toList();
        return new Page<>(
                page,
                page.size() < query.limit()
                        ? seenTo
                        : DeadCursor.of(page.get(page.size() - 1).event()));
    }

    /** Returns how many letters of a state a search looks at, if one state or all are asked for. */
    private static int window(DlqStatus status) {
        return status == null ? JdbcInspection.WINDOW / 2 : JdbcInspection.WINDOW;
    }

    private List<DeadLetter> read(Connection conn, LetterConditions conditions, int window, int limit) {
        List<Object> params = new ArrayList<>(conditions.range().params());
        params.addAll(conditions.rest().params());
        params.add(limit);
        String sql = of(conditions.rest().isEmpty() ? PAGE : WALK, conditions, window)
                .toString();
        return store.statements().query(conn, sql, DeadLetterTable::mapNarrow, params.toArray());
    }

    /** Returns the last place of the window, if there is a window and it is full. */
    private Optional<DeadCursor> windowEnd(Connection conn, LetterConditions conditions, int window) {
        if (conditions.rest().isEmpty()) {
            return Optional.empty();
        }
        return store
                .statements()
                .query(
                        conn,
                        of(WALK_END, conditions, window).toString(),
                        row -> new DeadCursor(JdbcTemplate.instant(row, "created_at"), row.getString("event_id")),
                        conditions.range().params().toArray())
                .stream()
                .findFirst();
    }

    private Sql of(String template, LetterConditions conditions, int window) {
        return letters.sql(template.replace("{rows}", WINDOW))
                .with("range", conditions.range().sql())
                .with("rest", conditions.rest().sql())
                .with("window", String.valueOf(window))
                .with("last", String.valueOf(window - 1))
                .with("most", String.valueOf(InspectionBackend.MOST_COUNTED));
    }

    Tally tally(Connection conn, DeadLetterFilter filter) {
        List<Tally> tallies = states(filter.status()).stream()
                .map(state -> tally(conn, LetterConditions.of(filter, state, null), window(filter.status())))
                .toList();
        return new Tally(
                tallies.stream().mapToLong(Tally::count).sum(), tallies.stream().allMatch(Tally::exact));
    }

    private Tally tally(Connection conn, LetterConditions conditions, int window) {
        if (conditions.rest().isEmpty()) {
            long count = number(
                    conn,
                    of(TALLY, conditions, window),
                    conditions.range().params().toArray());
            return new Tally(count, count < InspectionBackend.MOST_COUNTED);
        }
        List<Object> params = new ArrayList<>(conditions.rest().params());
        params.addAll(conditions.range().params());
        return store.statements()
                .query(
                        conn,
                        of(TALLY_OF_WINDOW, conditions, window).toString(),
                        row -> new Tally(row.getLong("matching"), row.getLong("looked_at") < window),
                        params.toArray())
                .get(0);
    }

    List<DeadLetter> list(Connection conn, DlqStatus status, long offset, int limit) {
        if (status != null) {
            return store.statements().query(conn, of(LIST, status).toString(), letters::mapLetter, limit, offset);
        }
        List<Object> params = new ArrayList<>(Collections.nCopies(DlqStatus.values().length, offset + limit));
        params.add(limit);
        params.add(offset);
        String firstIds = states(null).stream()
                .map(state -> of(FIRST_IDS, state).toString())
                .collect(Collectors.joining(" UNION ALL "));
        String sql = letters.sql(LIST_IDS).with("first_ids", firstIds).toString();
        List<String> ids = store.statements().query(conn, sql, row -> row.getString("event_id"), params.toArray());
        return letters.find(conn, ids).stream().sorted(IN_ORDER).toList();
    }

    List<DeadLetterCount> counts(Connection conn) {
        return store.statements()
                .query(
                        conn,
                        letters.sql(COUNTS).toString(),
                        row -> new DeadLetterCount(
                                row.getString("event_type"),
                                DlqStatus.fromCode(row.getInt("status")),
                                row.getLong("letters")));
    }

    /** Locks letters that were settled before the time, and returns their ids. */
    List<String> settled(Connection conn, Instant before, int limit) {
        String sql = letters.sql(SETTLED).with("lock", store.claimLocking()).toString();
        return store.statements().query(conn, sql, row -> row.getString("event_id"), before, limit);
    }
}
