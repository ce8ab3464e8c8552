package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.ConnectionProvider;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Events that failed for good while the outbox kept the order of keys, and that nobody delivers once it does not: they
 * are due after the year 2200, and nobody resumes them where no key is blocked. No other RETRY event is due then.
 * Thread-safe.
 */
final class ParkedEvents {

    private static final System.Logger LOG = System.getLogger(ParkedEvents.class.getName());
    private static final int STEP = 500;

    private static final String PARKED = "status = 2 AND available_at >= TIMESTAMP '2200-01-01 00:00:00'";

    private static final String FIND = """
            SELECT event_id FROM {table} WHERE {parked} ORDER BY available_at, created_at, event_id LIMIT ?""";

    /** Unfinished events that keep their order have a key in the column by which their index begins. */
    private static final String FIND_KEYED =
            "SELECT event_id FROM {table} WHERE {key} IS NOT NULL AND {unfinished} LIMIT 1";

    private static final String RELEASE = """
            UPDATE {by_id} SET available_at = {now}, attempts = 0 WHERE event_id {among} AND {parked}""";

    private final AbstractJdbcOutboxStore store;
    private final AtomicBoolean looked = new AtomicBoolean();

    ParkedEvents(AbstractJdbcOutboxStore store) {
        this.store = store;
    }

    /**
     * Says once that there are such events, or others that keep their order, if this outbox does not keep the order of
     * keys.
     */
    void lookOnce(Connection conn) {
        if (looked.get() || store.isKeyed() || !store.canBeKeyed() || !looked.compareAndSet(false, true)) {
            return;
        }
        List<String> found = find(conn, STEP);
        if (!found.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "{0} has events that have failed for good under ordering(...) and block their keys: {1}, the first of them {2}. This"
                            + " outbox was built without ordering(...), so nothing delivers them. Build it with Ordering.byKey(), or"
                            + " have them delivered once more with JdbcOutbox.dropOrder()",
                    store.tableName(),
                    found.size() < STEP ? Integer.toString(found.size()) : STEP + " or more",
                    found.get(0));
        } else {
            findKeyed(conn)
                    .forEach(eventId -> LOG.log(
                            Level.WARNING,
                            "{0} has events that were written with ordering(...), for example {1}. This outbox was built without it, so it"
                                    + " delivers them in any order, also beside outboxes that keep it. Build it with Ordering.byKey()",
                            store.tableName(),
                            eventId));
        }
    }

    private List<String> findKeyed(Connection conn) {
        try {
            return store.keyColumns().areColumnsPresent(conn)
                    ? store.reading(
                            conn,
                            () -> store.statements().query(conn, sql(FIND_KEYED).toString(), row -> row.getString(1)))
                    : List.of();
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Cannot read the columns of " + store.tableName() + ": " + e.getMessage(), e);
        }
    }

    /** Makes all of them due now, with all their attempts; returns how many there were. */
    int release(ConnectionProvider provider) {
        Connections connections = new Connections(provider);
        int released = 0;
        for (int step = STEP; step == STEP; ) {
            List<String> ids = connections.with(conn -> find(conn, STEP));
            for (IdList chunk : store.idLists(ids)) {
                String sql = sql(RELEASE).with("among", chunk.among()).toString();
                released += connections.with(conn -> store.inTransaction(
                        conn, () -> store.statements().update(conn, sql, chunk.params(List.of(), List.of()))));
            }
            step = ids.size();
        }
        return released;
    }

    private List<String> find(Connection conn, int most) {
        return new ArrayList<>(store.reading(
                conn, () -> store.statements().query(conn, sql(FIND).toString(), row -> row.getString(1), most)));
    }

    private Sql sql(String template) {
        return store.sql(template).with("parked", PARKED);
    }
}
