package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.util.List;

/**
 * The store for MySQL 8.
 *
 * <p>Our own transactions run at READ COMMITTED: under MySQL's default, locking reads lock the gaps between pending rows
 * and block the application's inserts. A claim passes over locked rows, among them those of business transactions that
 * have not committed yet, which it would otherwise wait for.
 */
public class MySqlOutboxStore extends AbstractJdbcOutboxStore {

    public MySqlOutboxStore() {}

    public MySqlOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:mysql:");
    }

    @Override
    public MySqlOutboxStore withTable(String tableName) {
        return new MySqlOutboxStore(tableName);
    }

    @Override
    protected String utcNow() {
        return "UTC_TIMESTAMP(6)";
    }

    /** Looks events up by their key even in a small table, where a scan would run into rows of other transactions. */
    @Override
    protected String updateTarget() {
        return tableName() + " FORCE INDEX (PRIMARY)";
    }

    /** Sets the isolation of the next transaction only, so that nothing has to be restored. */
    @Override
    protected void beforeTransaction(Connection conn) {
        JdbcTemplate.update(conn, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    /** Reads and locks in one go: from the read on, the rows are locked against other transactions. */
    @Override
    protected List<OutboxEvent> claim(Connection conn, Claim claim) {
        return inTransaction(conn, () -> {
            List<OutboxEvent> events = claimable(conn, claim, claimLocking());
            if (!events.isEmpty()) {
                IdList ids = IdList.of(events);
                JdbcTemplate.update(
                        conn,
                        "UPDATE " + updateTarget() + " SET locked_by = ?, locked_at = ? WHERE event_id IN " + ids.sql(),
                        ids.params(List.of(claim.ownerId(), claim.now()), List.of()));
            }
            return inOrderOfCreation(events);
        });
    }

    /** Returns how a claim locks the rows it reads. */
    protected String claimLocking() {
        return " FOR UPDATE SKIP LOCKED";
    }
}
