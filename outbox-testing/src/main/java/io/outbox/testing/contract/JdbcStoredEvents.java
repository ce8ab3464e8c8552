package io.outbox.testing.contract;

import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.testing.StoredEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads rows of an outbox table with plain JDBC, independently of any store. Columns without a time zone are taken to
 * hold UTC.
 */
public final class JdbcStoredEvents {

    private JdbcStoredEvents() {}

    /** Returns the row with this id. */
    public static Optional<StoredEvent> find(Connection conn, String tableName, String eventId) {
        String sql = "SELECT * FROM " + tableName + " WHERE event_id = ?";
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            statement.setString(1, eventId);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(read(row)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read event " + eventId + " from " + tableName, e);
        }
    }

    private static StoredEvent read(ResultSet row) throws SQLException {
        OutboxEvent event = new OutboxEvent(
                row.getString("event_id"),
                row.getString("event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("tenant_id"),
                row.getString("payload"),
                row.getString("headers"),
                row.getInt("attempts"),
                instant(row, "created_at"),
                instant(row, "available_at"));
        return new StoredEvent(
                event,
                EventStatus.fromCode(row.getInt("status")),
                instant(row, "done_at"),
                row.getString("last_error"),
                row.getString("locked_by"),
                instant(row, "locked_at"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        String type =
                row.getMetaData().getColumnTypeName(row.findColumn(column)).toLowerCase(Locale.ROOT);
        if (type.contains("tz") || type.contains("with time zone")) {
            OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
            return time == null ? null : time.toInstant();
        }
        LocalDateTime time = row.getObject(column, LocalDateTime.class);
        return time == null ? null : time.toInstant(ZoneOffset.UTC);
    }
}
