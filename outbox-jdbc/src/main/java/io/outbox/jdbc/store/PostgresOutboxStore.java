package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The store for PostgreSQL: partial indexes, and a claim in one statement that passes over locked rows. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

    private static final String QUALIFIED_COLUMNS = "t." + COLUMNS.replace(", ", ", t.");

    public PostgresOutboxStore() {}

    public PostgresOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:postgresql:", "jdbc:pgsql:");
    }

    @Override
    public PostgresOutboxStore withTable(String tableName) {
        return new PostgresOutboxStore(tableName);
    }

    @Override
    protected String utcNow() {
        return "(clock_timestamp() AT TIME ZONE 'UTC')";
    }

    @Override
    protected List<String> pendingPartitions() {
        return List.of("status IN (0, 2)");
    }

    @Override
    protected String dueOrder() {
        return DUE_ORDER;
    }

    @Override
    protected String deadOrder() {
        return "created_at, event_id";
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        String sql = """
                WITH due AS (
                  SELECT event_id FROM %1$s
                  WHERE status IN (0, 2) AND available_at <= ? AND created_at <= ?
                    AND (locked_by IS NULL OR locked_at < ?)
                  ORDER BY available_at, created_at, event_id LIMIT ?
                  FOR UPDATE SKIP LOCKED)
                UPDATE %1$s t SET locked_by = ?, locked_at = ?
                FROM due WHERE t.event_id = due.event_id
                RETURNING %2$s
                """.formatted(tableName(), QUALIFIED_COLUMNS);
        return inOrderOfCreation(JdbcTemplate.updateReturning(
                conn, sql, this::mapRow, now, now.minus(skipRecent), lockExpiry, limit, ownerId, now));
    }
}
