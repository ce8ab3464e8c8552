package io.outbox.jdbc.purge;

import io.outbox.model.EventStatus;
import java.util.List;

/** The purger for PostgreSQL, with an index for finished events and another for dead ones among them. */
public class PostgresEventPurger extends AbstractJdbcEventPurger {

    public PostgresEventPurger() {}

    public PostgresEventPurger(String tableName) {
        super(tableName);
    }

    @Override
    protected List<Range> ranges(int status) {
        boolean dead = status == EventStatus.DEAD.code();
        return List.of(
                new Range("status = " + status + " AND done_at < ?", "done_at"),
                new Range(
                        "status = " + status + " AND done_at IS NULL AND created_at < ?",
                        dead ? "created_at" : "done_at, created_at"));
    }

    @Override
    protected String deleteSql(Range range) {
        return "DELETE FROM " + tableName() + " WHERE event_id = ANY(ARRAY(SELECT event_id FROM " + tableName()
                + " WHERE " + range.condition() + " ORDER BY " + range.order() + " LIMIT ? FOR UPDATE SKIP LOCKED))";
    }
}
