package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The marks in PostgreSQL, which passes over rows that are there and returns those that were not. */
final class PostgresConsumedEvents extends ConsumedEvents {

    private static final String ADD = """
            INSERT INTO %s (consumer, event_id, consumed_at)
            SELECT CAST(? AS VARCHAR), id, %s FROM unnest(CAST(? AS VARCHAR[])) AS ids (id)
            ON CONFLICT (consumer, event_id) DO NOTHING
            RETURNING event_id""";

    private static final String REMOVE = "DELETE FROM %s WHERE consumer = ? AND event_id = ANY(?)";

    private static final String DELETE = """
            DELETE FROM %1$s WHERE consumer = ? AND event_id = ANY(ARRAY(
              SELECT event_id FROM %1$s WHERE consumer = ? AND consumed_at < ?
              ORDER BY consumed_at LIMIT ? FOR UPDATE SKIP LOCKED))""";

    PostgresConsumedEvents(AbstractJdbcOutboxStore store, String tableName) {
        super(store, tableName);
    }

    @Override
    Set<String> add(Connection conn, String consumer, List<String> eventIds, long token) {
        String sql = ADD.formatted(tableName(), store().currentTimeSql());
        return new HashSet<>(JdbcTemplate.updateReturning(
                conn, sql, row -> row.getString("event_id"), consumer, array(conn, eventIds)));
    }

    /** Needs no token: PostgreSQL lets no statement pass after it has given up a transaction. */
    @Override
    void remove(Connection conn, String consumer, Set<String> eventIds, long token) {
        JdbcTemplate.update(conn, REMOVE.formatted(tableName()), consumer, array(conn, eventIds));
    }

    private static Array array(Connection conn, Collection<String> eventIds) {
        try {
            return conn.createArrayOf("varchar", eventIds.toArray());
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot pass event ids to the database: " + e.getMessage(), e);
        }
    }

    @Override
    int delete(Connection conn, String consumer, Instant before, int limit) {
        return store().statements().update(conn, DELETE.formatted(tableName()), consumer, consumer, before, limit);
    }
}
