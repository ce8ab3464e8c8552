package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventTypes;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The store for PostgreSQL: partial indexes, and a claim in one statement that passes over locked rows. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

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

    /**
     * Claims by an array of ids: its size is unknown to the planner, which takes it for small and looks the rows up by
     * their key, whereas a join might read the whole table.
     */
    @Override
    protected List<OutboxEvent> claim(Connection conn, Claim claim) {
        String sql = """
                WITH due AS (
                  SELECT event_id, locked_by AS former_owner FROM %1$s WHERE status IN (0, 2)%2$s
                  ORDER BY %3$s LIMIT ?
                  FOR UPDATE SKIP LOCKED)
                UPDATE %1$s SET locked_by = ?, locked_at = ?
                WHERE event_id = ANY(ARRAY(SELECT event_id FROM due))
                RETURNING %4$s, (SELECT count(former_owner) FROM due) AS taken_over
                """.formatted(tableName(), claimCondition(claim), dueOrder(claim.types()), COLUMNS);
        AtomicInteger takenOver = new AtomicInteger();
        List<OutboxEvent> claimed = JdbcTemplate.updateReturning(
                conn,
                sql,
                row -> {
                    takenOver.set(row.getInt("taken_over"));
                    return mapRow(row);
                },
                claim.params(List.of(), claim.limit(), claim.ownerId(), claim.now()));
        claim.takenOver().accept(takenOver.get());
        return inOrderOfCreation(claimed);
    }
}
