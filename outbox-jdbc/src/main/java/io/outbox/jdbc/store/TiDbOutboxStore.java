package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
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
    protected List<OutboxEvent> claim(Connection conn, Claim claim) {
        return inTransaction(conn, () -> {
            List<OutboxEvent> before = claimed(conn, claim);
            int count = 0;
            for (String partition : pendingPartitions()) {
                count += JdbcTemplate.update(
                        conn,
                        "UPDATE " + tableName() + " SET locked_by = ?, locked_at = ? WHERE " + partition
                                + claimCondition(claim) + " ORDER BY " + dueOrder(claim.types()) + " LIMIT ?",
                        claim.params(List.of(claim.ownerId(), claim.now()), claim.limit() - count));
            }
            if (count == 0) {
                return List.of();
            }
            List<OutboxEvent> all = new ArrayList<>(claimed(conn, claim));
            all.removeAll(before);
            return inOrderOfCreation(all);
        });
    }

    private List<OutboxEvent> claimed(Connection conn, Claim claim) {
        List<OutboxEvent> events = new ArrayList<>();
        for (String partition : pendingPartitions()) {
            events.addAll(JdbcTemplate.query(
                    conn,
                    "SELECT " + COLUMNS + " FROM " + tableName() + " WHERE " + partition
                            + " AND available_at <= ? AND locked_by = ? AND locked_at = ?",
                    this::mapRow,
                    claim.now(),
                    claim.ownerId(),
                    claim.now()));
        }
        return events;
    }
}
