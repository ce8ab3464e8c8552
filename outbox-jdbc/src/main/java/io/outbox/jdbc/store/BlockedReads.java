package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.BlockedKey;
import io.outbox.model.BlockedKey.Order;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.KeyHead;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the keys that parked events block, by an index in which nothing else is in between: what it costs goes by the
 * number of keys that are read, not by that of all.
 */
final class BlockedReads {

    /** In the words of the partial index that PostgreSQL has for it, which a parameter would keep it from. */
    private static final String PARKED = "status = 2 AND {keyed} AND available_at >= TIMESTAMP '2200-01-01 00:00:00'";

    private static final String PAGE = """
            SELECT order_key, event_id, event_type, attempts, created_at, available_at, last_error FROM {table}{index}
            WHERE {parked}{behind} ORDER BY {order} LIMIT ?""";

    private static final String COUNT = """
            SELECT COUNT(*) AS parked, MIN(available_at) AS oldest FROM (
              SELECT available_at FROM {table}{index} WHERE {parked} ORDER BY {order} LIMIT ?) w""";

    private static final String AFTER =
            " AND available_at >= ?" + " AND (available_at > ? OR created_at > ? OR (created_at = ? AND event_id > ?))";

    private static final String ORDER = "available_at, created_at, event_id";

    /** Behind how many keys the waiting events are counted, for figures. */
    private static final int KEYS_COUNTED = 100;

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    BlockedReads(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    List<BlockedKey> page(Order order, BlockedKey after, int limit) {
        boolean isReversed = order == Order.NEWEST_FIRST;
        List<Object> params = new ArrayList<>();
        if (after != null) {
            Instant due = after.since() == null ? KeyHead.PARKED_UNTIL : KeyHead.parkedAt(after.since());
            Instant created = after.event().createdAt();
            params.addAll(List.of(due, due, created, created, after.event().eventId()));
        }
        params.add(limit);
        String behind = after == null ? "" : isReversed ? AFTER.replace(">", "<") : AFTER;
        String sql = sql(PAGE)
                .with("behind", behind)
                .with("order", isReversed ? ORDER.replace(",", " DESC,") + " DESC" : ORDER)
                .toString();
        List<Parked> parked = store.statements().query(conn, sql, Parked::map, params.toArray());
        Map<String, Integer> unfinished = store.keyedReads(conn)
                .count(parked.stream().map(Parked::key).distinct().toList(), BlockedKey.MOST_WAITING + 1);
        return parked.stream()
                .map(one -> one.with(unfinished.getOrDefault(one.key, 1) - 1))
                .toList();
    }

    BlockedKey.Figures figures() {
        String sql = sql(COUNT).with("order", ORDER).toString();
        BlockedKey.Figures counted = store.statements()
                .query(conn, sql, BlockedReads::mapCount, InspectionBackend.MOST_COUNTED)
                .get(0);
        if (counted.keys() == 0) {
            return counted;
        }
        List<BlockedKey> oldest = page(Order.OLDEST_FIRST, null, KEYS_COUNTED);
        int waiting = oldest.stream().mapToInt(BlockedKey::waiting).sum();
        boolean isExact = counted.exact()
                && counted.keys() <= KEYS_COUNTED
                && oldest.stream().allMatch(key -> key.waiting() < BlockedKey.MOST_WAITING);
        return new BlockedKey.Figures(counted.keys(), waiting, counted.oldestSince(), isExact);
    }

    private static BlockedKey.Figures mapCount(ResultSet row) throws SQLException {
        int parked = row.getInt("parked");
        Instant oldest = JdbcTemplate.instant(row, "oldest");
        return new BlockedKey.Figures(
                parked,
                0,
                oldest == null ? null : KeyHead.parkedSince(oldest),
                parked < InspectionBackend.MOST_COUNTED);
    }

    private Sql sql(String template) {
        return store.sql(template)
                .with("parked", PARKED)
                .with("keyed", store.keyedCondition())
                .with("index", store.unkeyedIndex(false));
    }

    private record Parked(String key, BlockedKey.Event event, Instant availableAt) {

        static Parked map(ResultSet row) throws SQLException {
            return new Parked(
                    row.getString("order_key"),
                    new BlockedKey.Event(
                            row.getString("event_id"),
                            row.getString("event_type"),
                            row.getInt("attempts"),
                            JdbcTemplate.instant(row, "created_at"),
                            row.getString("last_error")),
                    JdbcTemplate.instant(row, "available_at"));
        }

        BlockedKey with(int waiting) {
            return new BlockedKey(key, event, KeyHead.parkedSince(availableAt), waiting);
        }
    }
}
