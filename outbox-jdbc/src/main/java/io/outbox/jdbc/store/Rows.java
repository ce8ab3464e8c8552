package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Makes events of rows. */
final class Rows {

    /** The columns of an event without what may be large. */
    static final String NARROW_COLUMNS =
            "event_id, event_type, aggregate_type, aggregate_id, tenant_id, attempts, created_at, available_at";

    private Rows() {}

    /** Maps a row of narrow columns: an event without payload and headers. */
    static OutboxEvent narrowEvent(ResultSet row) throws SQLException {
        return event(row, null, null);
    }

    /** Maps a row of narrow columns, to which these belong. */
    static OutboxEvent event(ResultSet row, String payload, String headers) throws SQLException {
        return new OutboxEvent(
                row.getString("event_id"),
                row.getString("event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("tenant_id"),
                payload,
                headers,
                row.getInt("attempts"),
                JdbcTemplate.instant(row, "created_at"),
                JdbcTemplate.instant(row, "available_at"));
    }
}
