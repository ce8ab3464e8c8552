package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedPage.KeyedEvent;
import io.outbox.spi.KeyedRequest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The steps of {@link KeyedClaim} as one statement, so that a look at a key that is at rest costs one round trip. Its
 * parts follow each other as the steps do: what is read without a lock is that of the statement's beginning, and what
 * is locked is tested again as it is then. A node that is alone reads, and locks nothing.
 */
final class PostgresKeyedClaim {

    /**
     * The runs of all keys: of each of which nobody holds anything what qualifies from its head on, and of all of them
     * up to the one that reaches so many bytes.
     */
    private static final String PAGE = """
            WITH run AS (
              SELECT r.*, wanted.place, row_number() OVER of_key AS nth, bool_and(r.qualifies) OVER of_key AS reachable,
                bool_and(r.is_free) OVER (PARTITION BY wanted.place) AS all_free
              FROM unnest(?) WITH ORDINALITY AS wanted (key, place) CROSS JOIN LATERAL (
                SELECT event_id, order_seq, {bytes} AS bytes, (available_at <= ?{types}) AS qualifies, {free} AS is_free
                FROM {table} WHERE order_key = wanted.key AND status IN (0, 2) ORDER BY order_seq LIMIT ?) r
              WINDOW of_key AS (PARTITION BY wanted.place ORDER BY r.order_seq)),
            page AS (
              SELECT event_id, order_seq, place, nth FROM (
                SELECT run.*, sum(bytes)
                  OVER (ORDER BY place, order_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
                FROM run WHERE reachable AND all_free AND nth <= ?) summed
              WHERE before IS NULL OR before < ?)""";

    /** By an array of ids, as {@code PostgresOutboxStore.CLAIM} does it, for the same reason. */
    private static final String READ = PAGE + """

            SELECT {columns}, last_error, locked_by, locked_at, order_key, order_seq, 0 AS taken_over
            FROM {table} WHERE event_id = ANY(ARRAY(SELECT event_id FROM page)) AND {unfinished}""";

    private static final String CLAIM = PAGE + """
            ,
            heads AS (
              SELECT event_id, locked_by AS former_owner FROM {table}
              WHERE event_id = ANY(ARRAY(SELECT event_id FROM page WHERE nth = 1))
                AND {unfinished} AND available_at <= ? AND {free}
              FOR UPDATE SKIP LOCKED),
            followers AS (
              SELECT event_id, locked_by AS former_owner FROM {table}
              WHERE event_id = ANY(ARRAY(SELECT event_id FROM page WHERE nth > 1 AND place IN (
                  SELECT place FROM page JOIN heads USING (event_id))))
                AND {unfinished} AND available_at <= ? AND {free}
              FOR UPDATE SKIP LOCKED),
            won AS (
              SELECT event_id, former_owner FROM (
                SELECT page.event_id, former_owner,
                  bool_and(locked.event_id IS NOT NULL) OVER (PARTITION BY place) AS all_won
                FROM page LEFT JOIN (SELECT * FROM heads UNION ALL SELECT * FROM followers) locked
                  ON locked.event_id = page.event_id) tried
              WHERE all_won)
            UPDATE {table} SET locked_by = ?, locked_at = {now}
            WHERE event_id = ANY(ARRAY(SELECT event_id FROM won))
            RETURNING {columns}, last_error, order_key, order_seq,
              (SELECT count(*) FROM won WHERE former_owner <> ? AND NOT starts_with(former_owner, ?)) AS taken_over""";

    /**
     * The first events of one key with their contents: all there is to a key that was at rest, without the work of
     * planning more.
     */
    private static final String FIRST = """
            SELECT {columns}, last_error, locked_by, locked_at, order_key, order_seq, 0 AS taken_over FROM {table}
            WHERE order_key = ? AND status IN (0, 2) ORDER BY order_seq LIMIT 2 /* {age} */""";

    /** How long a statement keeps a plan, which was made for the table as it was then. */
    private static final long PLAN_LASTS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PostgresOutboxStore store;
    private final Connection conn;
    private final ForeignLocks foreignLocks;
    private int takenOver;

    PostgresKeyedClaim(PostgresOutboxStore store, Connection conn, ForeignLocks foreignLocks) {
        this.store = store;
        this.conn = conn;
        this.foreignLocks = foreignLocks;
    }

    KeyedPage run(KeyedRequest request) {
        if (request.keys().isEmpty() || request.types().isNone()) {
            return KeyedPage.EMPTY;
        }
        return request.lease() == null
                ? store.reading(conn, () -> read(request))
                : store.repeating(conn, () -> claim(request));
    }

    private KeyedPage read(KeyedRequest request) {
        if (request.keys().size() == 1) {
            List<KeyedEvent> first = first(request);
            List<KeyedEvent> run = first.stream()
                    .takeWhile(event -> qualifies(event, request))
                    .limit(request.limit().run())
                    .toList();
            if (run.size() < 2) {
                return new KeyedPage(run, 0);
            }
        }
        return query(READ, request, "true", page(request, List.of()));
    }

    /**
     * Reads by a statement that may stay prepared, unlike others, since planning it takes longer than the rest of it. A
     * plan that was made while the table was empty reads all of it, so the text changes from time to time, and with it
     * the plan.
     */
    private List<KeyedEvent> first(KeyedRequest request) {
        String sql = store.sql(FIRST)
                .with("age", String.valueOf(System.nanoTime() / PLAN_LASTS_NANOS))
                .toString();
        return JdbcTemplate.query(
                conn, sql, row -> map(row, request), request.keys().get(0));
    }

    private static boolean qualifies(KeyedEvent event, KeyedRequest request) {
        OutboxEvent row = event.row().event();
        return !row.availableAt().isAfter(request.dueUntil()) && request.types().contains(row.eventType());
    }

    private KeyedPage claim(KeyedRequest request) {
        Claim.Free free = store.free(request.lockExpiry(), request.lost());
        List<Object> params = page(request, free.params());
        for (int lock = 0; lock < 2; lock++) {
            params.add(request.dueUntil());
            params.addAll(free.params());
        }
        params.add(request.lease().holder());
        params.add(request.lease().ownerId());
        params.add(request.lease().holderPrefix());
        return query(CLAIM, request, "(" + free.condition() + ")", params);
    }

    private static List<Object> page(KeyedRequest request, List<Object> free) {
        List<Object> params = new ArrayList<>();
        params.add(request.keys().toArray(String[]::new));
        params.add(request.dueUntil());
        params.addAll(request.types().names());
        params.addAll(free);
        params.add(KeyedClaim.window(request));
        params.add(request.limit().run());
        params.add(request.limit().bytes());
        return params;
    }

    private KeyedPage query(String template, KeyedRequest request, String free, List<Object> params) {
        String sql = store.sql(template)
                .with("types", DueRange.typeCondition(request.types()))
                .with("free", free)
                .toString();
        List<KeyedEvent> events =
                new ArrayList<>(store.statements().query(conn, sql, row -> map(row, request), params.toArray()));
        Map<String, Integer> places = new HashMap<>();
        request.keys().forEach(key -> places.put(key, places.size()));
        events.sort(Comparator.comparing((KeyedEvent event) -> places.get(event.key()))
                .thenComparing(KeyedEvent::number));
        return new KeyedPage(events, takenOver);
    }

    private KeyedEvent map(ResultSet row, KeyedRequest request) throws SQLException {
        if (request.lease() == null) {
            foreignLocks.lookAt(row, request.dueUntil());
        }
        DueEvent event = store.mapDueEvent(row);
        takenOver = row.getInt("taken_over");
        return new KeyedEvent(event, row.getString("order_key"), row.getLong("order_seq"));
    }
}
