package io.outbox.soak;

import io.outbox.soak.Store.Trouble;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A session that somebody left open after a {@code SELECT … FOR UPDATE} of pending events: of a few, or of all that one
 * statement found. Used by one thread.
 */
final class RowLocks implements Trouble {

    private static final String PENDING = "SELECT event_id FROM outbox_event WHERE status IN (0, 2) LIMIT 10";

    /** By primary key, so that no database locks anything beside these rows. */
    private static final String LOCK = """
            SELECT event_id FROM outbox_event WHERE event_id = ? AND status IN (0, 2) FOR UPDATE SKIP LOCKED""";

    private static final String LOCK_ALL =
            "SELECT event_id FROM outbox_event WHERE status IN (0, 2) FOR UPDATE SKIP LOCKED";

    private static final int ROWS = 5;
    private static final int TIMEOUT_SECONDS = 10;
    private static final int PAUSE_MS = 5;

    private final Connections connections;
    private final boolean all;
    private Connection connection;

    /** Opens sessions. */
    @FunctionalInterface
    interface Connections {
        Connection open() throws SQLException;
    }

    private RowLocks(Connections connections, boolean all) {
        this.connections = connections;
        this.all = all;
    }

    static RowLocks ofFew(Connections connections) {
        return new RowLocks(connections, false);
    }

    static RowLocks ofAll(Connections connections) {
        return new RowLocks(connections, true);
    }

    /** Looks until it has found enough of the events that are pending for a moment only, or for some seconds. */
    @Override
    public Set<String> begin() throws SQLException, InterruptedException {
        connection = connections.open();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        Set<String> locked = new HashSet<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (locked.size() < (all ? 1 : ROWS) && System.nanoTime() - deadline < 0) {
            if (all) {
                locked.addAll(query(LOCK_ALL, null));
            } else {
                lockFew(locked);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
        return Set.copyOf(locked);
    }

    private void lockFew(Set<String> locked) throws SQLException {
        for (String eventId : query(PENDING, null)) {
            if (locked.size() < ROWS) {
                locked.addAll(query(LOCK, eventId));
            }
        }
    }

    private List<String> query(String sql, String parameter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (parameter != null) {
                statement.setString(1, parameter);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<String> ids = new ArrayList<>();
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
                return ids;
            }
        }
    }

    @Override
    public void end() throws SQLException {
        connection.rollback();
        connection.close();
    }
}
