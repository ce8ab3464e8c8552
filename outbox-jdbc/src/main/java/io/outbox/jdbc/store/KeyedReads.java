package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedRequest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads unfinished events in the order of their keys, without locking them: one key after the other, and walks over
 * keys by windows of the index, of which the first row of each key counts. However deep a key is, a walk reads one
 * window of it.
 */
class KeyedReads {

    static final String CANDIDATE =
            "event_id, order_key, order_seq, event_type, available_at, locked_by, locked_at," + " {bytes} AS bytes";

    static final String HEAD = "order_key, event_id, event_type, attempts, available_at, locked_by, locked_at";

    private static final String RUN =
            "SELECT " + CANDIDATE + " FROM {table} WHERE {key} = ? ORDER BY {key}, order_seq LIMIT ?";

    private static final String WINDOW =
            "SELECT " + HEAD + " FROM {table} WHERE {after} ORDER BY {key}, order_seq LIMIT ?";

    private static final String COUNT =
            "SELECT COUNT(*) FROM (SELECT 1 AS one FROM {table} WHERE {key} = ? ORDER BY {key}, order_seq LIMIT ?) counted";

    private static final int WINDOW_SIZE = 200;

    final AbstractJdbcOutboxStore store;
    final Connection conn;

    KeyedReads(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** An unfinished event of a key, without its content. */
    record Candidate(
            String eventId, String key, long number, String eventType, Instant availableAt, Lock lock, long bytes) {

        record Lock(String by, Instant at) {}

        static Candidate map(ResultSet row) throws SQLException {
            return new Candidate(
                    row.getString("event_id"),
                    row.getString("order_key"),
                    row.getLong("order_seq"),
                    row.getString("event_type"),
                    JdbcTemplate.instant(row, "available_at"),
                    new Lock(row.getString("locked_by"), JdbcTemplate.instant(row, "locked_at")),
                    row.getLong("bytes"));
        }

        boolean qualifies(KeyedRequest request) {
            return !availableAt.isAfter(request.dueUntil()) && request.types().contains(eventType);
        }

        boolean isFree(KeyedRequest request) {
            return request.lease() == null
                    || lock.by == null
                    || (lock.at != null && lock.at.isBefore(request.lockExpiry()))
                    || request.lost().include(lock.by, eventId);
        }
    }

    /** Returns the oldest unfinished events of each key, those of one key together and in order. */
    List<Candidate> candidates(List<String> keys, int run) {
        List<Candidate> all = new ArrayList<>();
        String sql = store.sql(RUN).toString();
        for (String key : keys) {
            all.addAll(store.statements().query(conn, sql, Candidate::map, key, run));
        }
        return all;
    }

    /** Returns the oldest unfinished event of each key behind another one. */
    List<KeyHead> heads(String after, int limit) {
        List<KeyHead> heads = new ArrayList<>();
        String last = after;
        while (true) {
            DueCondition behind = store.keysAfter(last);
            List<Object> params = new ArrayList<>(behind.params());
            params.add(WINDOW_SIZE);
            String sql = store.sql(WINDOW).with("after", behind.sql()).toString();
            List<KeyHead> window = store.statements().query(conn, sql, KeyedReads::mapHead, params.toArray());
            for (KeyHead head : window) {
                if (heads.isEmpty() || !heads.get(heads.size() - 1).key().equals(head.key())) {
                    if (heads.size() == limit) {
                        return heads;
                    }
                    heads.add(head);
                }
            }
            if (window.size() < WINDOW_SIZE || heads.size() == limit) {
                return heads;
            }
            last = window.get(window.size() - 1).key();
        }
    }

    /** Counts the unfinished events of each key, up to so many of one. */
    Map<String, Integer> count(List<String> keys, int most) {
        Map<String, Integer> counts = new HashMap<>();
        String sql = store.sql(COUNT).toString();
        for (String key : keys) {
            counts.put(
                    key,
                    store.statements()
                            .query(conn, sql, row -> row.getInt(1), key, most)
                            .get(0));
        }
        return counts;
    }

    static KeyHead mapHead(ResultSet row) throws SQLException {
        return new KeyHead(
                row.getString("order_key"),
                row.getString("event_id"),
                row.getString("event_type"),
                row.getInt("attempts"),
                JdbcTemplate.instant(row, "available_at"),
                row.getString("locked_by"),
                JdbcTemplate.instant(row, "locked_at"));
    }
}
