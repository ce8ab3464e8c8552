package io.outbox.jdbc.store;

import io.outbox.spi.KeyHead;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads PostgreSQL in the order of keys: all keys by one statement, and one descent of the index for each key of a
 * walk.
 */
final class PostgresKeyedReads extends KeyedReads {

    private static final String RUNS = "SELECT run.* FROM unnest(?) WITH ORDINALITY AS wanted (key, place)"
            + " CROSS JOIN LATERAL (SELECT " + CANDIDATE
            + " FROM {table} WHERE order_key = wanted.key AND status IN (0, 2)"
            + " ORDER BY order_seq LIMIT ?) run ORDER BY wanted.place, run.order_seq";

    private static final String FIRST = "SELECT " + HEAD + ", {place} AS place FROM {table} WHERE order_key > {after}"
            + " AND status IN (0, 2) ORDER BY order_key, order_seq LIMIT 1";

    private static final String WALK =
            "WITH RECURSIVE walk AS ((" + FIRST.replace("{place}", "1").replace("{after}", "?")
                    + ") UNION ALL SELECT next.* FROM walk CROSS JOIN LATERAL ("
                    + FIRST.replace("{place}", "walk.place + 1").replace("{after}", "walk.order_key")
                    + ") next WHERE walk.place < ?) SELECT " + HEAD + " FROM walk ORDER BY place";

    private static final String COUNTS = "SELECT wanted.key, run.events FROM unnest(?) AS wanted (key)"
            + " CROSS JOIN LATERAL (SELECT COUNT(*) AS events FROM (SELECT 1 FROM {table}"
            + " WHERE order_key = wanted.key AND status IN (0, 2) ORDER BY order_seq LIMIT ?) counted) run";

    PostgresKeyedReads(AbstractJdbcOutboxStore store, Connection conn) {
        super(store, conn);
    }

    @Override
    List<Candidate> candidates(List<String> keys, int run) {
        return store.statements()
                .query(conn, store.sql(RUNS).toString(), Candidate::map, keys.toArray(String[]::new), run);
    }

    @Override
    List<KeyHead> heads(String after, int limit) {
        return store.statements().query(conn, store.sql(WALK).toString(), KeyedReads::mapHead, after, limit);
    }

    @Override
    Map<String, Integer> count(List<String> keys, int most) {
        Map<String, Integer> counts = new HashMap<>();
        store.statements()
                .query(
                        conn,
                        store.sql(COUNTS).toString(),
                        row -> counts.put(row.getString("key"), row.getInt("events")),
                        keys.toArray(String[]::new),
                        most);
        return counts;
    }
}
