package io.outbox.jdbc.store;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.Page;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Reads, counts and replays DEAD events. */
final class DeadRows {

    private static final String PAGE = """
            SELECT {hint}{columns} FROM {table} WHERE {partition} AND {follows}{types} ORDER BY {order} LIMIT ?""";

    private static final String COUNT = "SELECT COUNT(*) FROM {table} WHERE status = 3{types}";

    /** The guard is worded so that it does not suggest the index for dead events, which would be read as a whole. */
    private static final String REPLAY = """
            UPDATE {by_id} SET status = 0, attempts = 0, available_at = {now}, done_at = NULL, last_error = NULL,
              locked_by = NULL, locked_at = NULL
            WHERE event_id {among} AND status > 2""";

    private static final String OF_TYPE = " AND event_type = ?";
    private static final String OF_AGGREGATE_TYPE = " AND aggregate_type = ?";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    DeadRows(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** Reads events in order of creation; {@code null} filters match all. */
    Page<OutboxEvent> read(String eventType, String aggregateType, DeadCursor after, int limit) {
        List<Object> params = new ArrayList<>(after.params());
        String types = "";
        if (eventType != null) {
            types += OF_TYPE;
            params.add(eventType);
        }
        if (aggregateType != null) {
            types += OF_AGGREGATE_TYPE;
            params.add(aggregateType);
        }
        params.add(limit);
        List<OutboxEvent> found = new ArrayList<>();
        for (Partition partition : store.deadPartitions()) {
            Sql sql = partition.fill(store.sql(PAGE)).with("types", types).with("follows", DeadCursor.FOLLOWS);
            found.addAll(sql.query(conn, store::mapRow, params.toArray()));
        }
        List<OutboxEvent> page = found.stream()
                .sorted(Comparator.comparing(DeadCursor::of))
                .limit(limit)
                .toList();
        boolean full = page.size() == limit && !page.isEmpty();
        return new Page<>(page, full ? DeadCursor.of(page.get(page.size() - 1)) : null);
    }

    int count(String eventType) {
        Sql sql = store.sql(COUNT).with("types", eventType == null ? "" : OF_TYPE);
        Object[] params = eventType == null ? new Object[0] : new Object[] {eventType};
        return sql.one(conn, row -> row.getInt(1), params);
    }

    /** Replays each list of ids in a transaction of its own; returns the number of rows changed. */
    int replay(Collection<String> eventIds) {
        int replayed = 0;
        for (IdList ids : IdList.sorted(eventIds)) {
            replayed += store.repeating(conn, () -> store.sql(REPLAY).updateAmong(conn, List.of(ids)));
        }
        return replayed;
    }
}
