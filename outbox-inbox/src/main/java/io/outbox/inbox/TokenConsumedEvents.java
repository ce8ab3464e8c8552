package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The marks in databases that do not tell reliably which rows a statement has inserted.
 *
 * <p>Each call leaves a token of its own in the rows that it inserts, and these are read afterwards: a transaction sees
 * its own rows, whatever its snapshot. A single mark is inserted as it is, and a duplicate key tells that it was there.
 */
class TokenConsumedEvents extends ConsumedEvents {

    private static final String INSERT = "INSERT INTO %s (consumer, event_id, token, consumed_at) VALUES (?, ?, ?, %s)";
    private static final String REMOVE = "DELETE FROM %s WHERE consumer = ? AND event_id IN (%s) AND token = ?";

    private static final String DELETE = """
            DELETE FROM %1$s WHERE consumer = ? AND event_id IN (
              SELECT event_id FROM %1$s WHERE consumer = ? AND consumed_at < ?
              ORDER BY consumer, consumed_at, event_id LIMIT ?)""";

    private static final String ADDED = "SELECT event_id FROM %s WHERE consumer = ? AND event_id IN (%s) AND token = ?";

    TokenConsumedEvents(AbstractJdbcOutboxStore store, String tableName) {
        super(store, tableName);
    }

    /** Inserts the marks that are missing, with the token. Default: one by one. */
    void addMissing(Connection conn, String consumer, List<String> eventIds, long token) {
        eventIds.forEach(eventId -> addOne(conn, consumer, eventId, token));
    }

    @Override
    final Set<String> add(Connection conn, String consumer, List<String> eventIds, long token) {
        if (eventIds.size() == 1) {
            return addOne(conn, consumer, eventIds.get(0), token) ? Set.copyOf(eventIds) : Set.of();
        }
        List<List<String>> chunks = chunks(eventIds);
        chunks.forEach(chunk -> addMissing(conn, consumer, chunk, token));
        Set<String> added = new HashSet<>();
        chunks.forEach(chunk -> added.addAll(added(conn, consumer, chunk, token)));
        return added;
    }

    /** Inserts a mark; returns whether it was missing. */
    final boolean addOne(Connection conn, String consumer, String eventId, long token) {
        try {
            JdbcTemplate.update(
                    conn, INSERT.formatted(tableName(), store().currentTimeSql()), consumer, eventId, token);
            return true;
        } catch (OutboxStoreException e) {
            if (store().isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    private List<String> added(Connection conn, String consumer, List<String> eventIds, long token) {
        return JdbcTemplate.query(
                conn,
                ADDED.formatted(tableName(), places(eventIds)),
                row -> row.getString("event_id"),
                params(consumer, eventIds, token));
    }

    /** Spares marks of others: a database that gave up the whole transaction has let them in meanwhile. */
    @Override
    final void remove(Connection conn, String consumer, Set<String> eventIds, long token) {
        for (List<String> chunk : chunks(List.copyOf(eventIds))) {
            String sql = REMOVE.formatted(tableName(), places(chunk));
            JdbcTemplate.update(conn, sql, params(consumer, chunk, token));
        }
    }

    private static Object[] params(String consumer, List<String> eventIds, long token) {
        List<Object> params = new ArrayList<>(List.of(consumer));
        params.addAll(eventIds);
        params.add(token);
        return params.toArray();
    }

    @Override
    int delete(Connection conn, String consumer, Instant before, int limit) {
        return JdbcTemplate.update(conn, DELETE.formatted(tableName()), consumer, consumer, before, limit);
    }
}
