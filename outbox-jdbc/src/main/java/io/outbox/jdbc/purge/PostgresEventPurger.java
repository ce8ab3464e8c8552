package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.FreshPlan;
import io.outbox.jdbc.internal.ReadCommitted;
import io.outbox.model.EventStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The purger for PostgreSQL, with an index for finished events and another for dead ones among them. */
public class PostgresEventPurger extends AbstractJdbcEventPurger {

    private static final String DELETE = """
            DELETE FROM %1$s WHERE event_id = ANY(ARRAY(
              SELECT event_id FROM %1$s WHERE %2$s ORDER BY %3$s LIMIT ? FOR UPDATE SKIP LOCKED))""";

    public PostgresEventPurger() {}

    public PostgresEventPurger(String tableName) {
        super(tableName);
    }

    @Override
    protected void tune(PreparedStatement statement) throws SQLException {
        FreshPlan.request(statement);
    }

    @Override
    protected void beginRepetition(Connection conn) {
        ReadCommitted.forThisTransaction(conn);
    }

    @Override
    protected List<Range> ranges(int status) {
        boolean dead = status == EventStatus.DEAD.code();
        return List.of(
                new Range("status = " + status + " AND done_at < ?", "done_at, created_at, event_id"),
                new Range(
                        "status = " + status + " AND done_at IS NULL AND created_at < ?",
                        dead ? "created_at, event_id" : "done_at, created_at, event_id"));
    }

    @Override
    protected String deleteSql(Range range) {
        return DELETE.formatted(tableName(), range.condition(), range.order());
    }
}
