package io.outbox.jdbc.store;

import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.Page;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads and counts dead letters without locking them. States are literals, and each is a range of the index by itself.
 * What no index finds is looked for in a window of at most {@value JdbcInspection#WINDOW} letters of a state, or half
 * as many of each if all states are asked for.
 */
final class DeadLetterPages {

    private static final String DEAD = """
            SELECT {columns} FROM {letters} WHERE status = 0 AND {follows}{types}
            ORDER BY status, created_at, event_id LIMIT ?""";

    private static final String COUNT = "SELECT COUNT(*) FROM {letters} WHERE status = {status}{types}";

    private static final String COUNT_SOME = """
            SELECT COUNT(*) FROM (
              SELECT 1 AS one FROM {letters} WHERE status = {status} ORDER BY status, created_at, event_id LIMIT {most}) w""";

    private static final String LIST = """
            SELECT {letter} FROM {letters} WHERE status = {status}
            ORDER BY status, created_at, event_id LIMIT {limit} OFFSET {offset}""";

    private static final String FIRST_IDS = """
            SELECT * FROM (SELECT event_id, created_at FROM {letters} WHERE status = {status}
            ORDER BY status, created_at, event_id LIMIT ?) w{status}""";

    private static final String LIST_IDS = """
            SELECT event_id FROM ({first_ids}) w ORDER BY created_at, event_id LIMIT {limit} OFFSET {offset}""";

    private static final String COUNTS = """
            SELECT event_type, status, COUNT(*) AS letters FROM {letters} GROUP BY event_type, status
            ORDER BY event_type, status""";

    private static final String SETTLED = """
            SELECT event_id FROM {letters} WHERE status = 3 AND updated_at < ?
            ORDER BY status, updated_at LIMIT ?""";

    private static final String LOCK_SETTLED =
            "SELECT event_id FROM {letters} WHERE event_id {among} AND status = 3{claim}";

    private static final String OF_TYPE = " AND event_type = ?";
    private static final String OF_AGGREGATE_TYPE = " AND aggregate_type = ?";

    private final AbstractJdbcOutboxStore store;
    private final DeadLetterTable letters;
    private final DeadWalk walk;

    DeadLetterPages(AbstractJdbcOutboxStore store, DeadLetterTable letters) {
        this.store = store;
        this.letters = letters;
        this.walk = new DeadWalk(store, letters::sql, DeadLetterTable::mapNarrow);
    }

    /** Returns events of letters that nobody has decided on. */
    List<OutboxEvent> dead(Connection conn, DeadQuery query) {
        List<Object> params = new ArrayList<>(DeadCursor.from(query.after()).params());
        String types = condition(params, OF_TYPE, query.eventType())
                + condition(params, OF_AGGREGATE_TYPE, query.aggregateType());
        params.add(query.limit());
        return letters.sql(DEAD)
                .with("follows", DeadCursor.FOLLOWS)
                .with("types", types)
                .query(conn, store::mapRow, params.toArray());
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
                .mapToLong(state ->
                        of(COUNT, state).with("types", types).one(conn, row -> row.getLong(1), params.toArray()))
                .sum();
    }

    Map<DlqStatus, Long> countByState(Connection conn, int most) {
        Map<DlqStatus, Long> counts = new EnumMap<>(DlqStatus.class);
        for (DlqStatus state : DlqStatus.values()) {
            counts.put(state, of(COUNT_SOME, state).with("most", most).one(conn, row -> row.getLong(1)));
        }
        return counts;
    }

    private static List<DlqStatus> states(DlqStatus status) {
        return status == null ? List.of(DlqStatus.values()) : List.of(status);
    }

    private Sql of(String template, DlqStatus state) {
        return letters.sql(template).with("status", state.code());
    }

    /** Reads state by state, and as far as all states have been looked at. */
    Page<DeadLetter> read(Connection conn, DeadLetterQuery query) {
        DeadOrder order = DeadOrder.of(query);
        return walk.read(
                conn,
                order,
                ranges(query.filter(), order, order.start(query.after())),
                window(query.filter().status()),
                query.limit());
    }

    Tally tally(Connection conn, DeadLetterFilter filter) {
        return walk.tally(conn, ranges(filter, DeadOrder.OLDEST_FIRST, null), window(filter.status()));
    }

    private static List<DeadRange> ranges(DeadLetterFilter filter, DeadOrder order, DeadCursor after) {
        return states(filter.status()).stream()
                .map(state -> DeadRange.ofLetters(filter, state, order, after))
                .toList();
    }

    /** Returns how many letters of a state a search looks at, if one state or all are asked for. */
    private static int window(DlqStatus status) {
        return status == null ? JdbcInspection.WINDOW / 2 : JdbcInspection.WINDOW;
    }

    List<DeadLetter> list(Connection conn, DlqStatus status, long offset, int limit) {
        if (status != null) {
            return page(of(LIST, status), offset, limit).query(conn, letters::mapLetter);
        }
        return letters.find(conn, listIds(conn, null, offset, limit)).stream()
                .sorted(DeadWalk.IN_ORDER)
                .toList();
    }

    List<String> listIds(Connection conn, DlqStatus status, long offset, int limit) {
        List<DlqStatus> states = states(status);
        List<Object> params = new ArrayList<>(Collections.nCopies(states.size(), offset + limit));
        String firstIds = states.stream()
                .map(state -> of(FIRST_IDS, state).toString())
                .collect(Collectors.joining(" UNION ALL "));
        return page(letters.sql(LIST_IDS).with("first_ids", firstIds), offset, limit)
                .query(conn, Sql.EVENT_ID, params.toArray());
    }

    /** Fills in numbers: databases do not agree on the order of their parameters. */
    private static Sql page(Sql sql, long offset, int limit) {
        return sql.with("limit", limit).with("offset", offset);
    }

    List<DeadLetterCount> counts(Connection conn) {
        return letters.sql(COUNTS)
                .query(
                        conn,
                        row -> new DeadLetterCount(
                                row.getString("event_type"),
                                DlqStatus.fromCode(row.getInt("status")),
                                row.getLong("letters")));
    }

    /** Locks letters that were settled before the time, and returns their ids. */
    List<String> settled(Connection conn, Instant before, int limit) {
        List<String> settled = letters.sql(SETTLED).query(conn, Sql.EVENT_ID, before, limit);
        return letters.idsOf(conn, LOCK_SETTLED, settled);
    }
}
