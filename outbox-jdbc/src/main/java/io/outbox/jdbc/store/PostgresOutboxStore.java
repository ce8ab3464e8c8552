package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventTypes;
import java.sql.Connection;
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
    protected String dueOrder(EventTypes types) {
        return isOneType(types) ? "event_type, " + DUE_ORDER : DUE_ORDER;
    }

    @Override
    protected String deadOrder() {
        return "created_at, event_id";
    }

    @Override
    protected List<OutboxEvent> claim(Connection conn, Claim claim) {
        String sql = """
                WITH due AS (
                  SELECT event_id FROM %1$s WHERE status IN (0, 2)%2$s
                  ORDER BY %3$s LIMIT ?
                  FOR UPDATE SKIP LOCKED)
                UPDATE %1$s t SET locked_by = ?, locked_at = ?
                FROM due WHERE t.event_id = due.event_id
                RETURNING %4$s
                """.formatted(tableName(), claimCondition(claim), dueOrder(claim.types()), QUALIFIED_COLUMNS);
        return inOrderOfCreation(JdbcTemplate.updateReturning(
                conn, sql, this::mapRow, claim.params(List.of(), claim.limit(), claim.ownerId(), claim.now())));
    }
}
