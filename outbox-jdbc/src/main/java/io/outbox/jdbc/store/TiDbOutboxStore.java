package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * The store for TiDB, which speaks MySQL's protocol but knows no SKIP LOCKED: it claims with
 * {@code UPDATE … ORDER BY … LIMIT}, and finds its rows again by owner and time.
 */
public final class TiDbOutboxStore extends MySqlOutboxStore {

    public TiDbOutboxStore() {}

    public TiDbOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "tidb";
    }

    /** None of its own: {@link JdbcOutboxStores#detect(javax.sql.DataSource)} knows TiDB by its version. */
    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of();
    }

    @Override
    public TiDbOutboxStore withTable(String tableName) {
        return new TiDbOutboxStore(tableName);
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        Instant lockedAt = now.truncatedTo(ChronoUnit.MICROS);
        return inTransaction(conn, () -> {
            List<OutboxEvent> before = claimedAt(conn, ownerId, lockedAt);
            int claimed = 0;
            for (String status : pendingPartitions()) {
                claimed += JdbcTemplate.update(
                        conn,
                        "UPDATE " + tableName() + " SET locked_by = ?, locked_at = ? WHERE " + status
                                + " AND available_at <= ? AND created_at <= ?"
                                + " AND (locked_by IS NULL OR locked_at < ?) ORDER BY " + dueOrder() + " LIMIT ?",
                        ownerId,
                        lockedAt,
                        lockedAt,
                        lockedAt.minus(skipRecent),
                        lockExpiry,
                        limit - claimed);
            }
            if (claimed == 0) {
                return List.of();
            }
            List<OutboxEvent> all = new ArrayList<>(claimedAt(conn, ownerId, lockedAt));
            all.removeAll(before);
            return inOrderOfCreation(all);
        });
    }

    private List<OutboxEvent> claimedAt(Connection conn, String ownerId, Instant lockedAt) {
        List<OutboxEvent> events = new ArrayList<>();
        for (String status : pendingPartitions()) {
            events.addAll(JdbcTemplate.query(
                    conn,
                    "SELECT " + COLUMNS + " FROM " + tableName() + " WHERE " + status
                            + " AND available_at <= ? AND locked_by = ? AND locked_at = ?",
                    this::mapRow,
                    lockedAt,
                    ownerId,
                    lockedAt));
        }
        return events;
    }
}
