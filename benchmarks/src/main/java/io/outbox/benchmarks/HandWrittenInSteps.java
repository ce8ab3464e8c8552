package io.outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The same relay as {@link HandWritten} for databases that do not return what they update: the claim is a transaction
 * of a locking read and an update, at READ COMMITTED, as ours.
 */
final class HandWrittenInSteps {

    private static final String IDS = "(" + String.join(", ", Collections.nCopies(HandWritten.BATCH, "?")) + ")";

    private static final String LOCK = """
            SELECT event_id, event_type, aggregate_type, aggregate_id, payload, headers, attempts, created_at
            FROM outbox_event WHERE status = 0 AND available_at <= ? AND (locked_by IS NULL OR locked_at < ?)
            ORDER BY status, available_at LIMIT 500 FOR UPDATE SKIP LOCKED""";

    private static final String NOTE = "UPDATE outbox_event SET locked_by = ?, locked_at = ? WHERE event_id IN " + IDS;

    private static final String ACKNOWLEDGE =
            "UPDATE outbox_event SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL WHERE event_id IN "
                    + IDS + " AND locked_by = ?";

    private HandWrittenInSteps() {}

    /** As {@link HandWritten#relay}. */
    static void relay(Database database, String owner, IntPredicate goesOn) throws SQLException {
        try (Connection conn = database.connection()) {
            int isolation = conn.getTransactionIsolation();
            conn.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            conn.setAutoCommit(false);
            try (PreparedStatement lock = conn.prepareStatement(LOCK);
                    PreparedStatement note = conn.prepareStatement(NOTE);
                    PreparedStatement acknowledge = conn.prepareStatement(ACKNOWLEDGE)) {
                int handled;
                do {
                    List<String> ids = lock(lock);
                    note(note, owner, ids);
                    conn.commit();
                    handled = acknowledge(acknowledge, owner, ids);
                    conn.commit();
                } while (goesOn.test(handled));
            } finally {
                conn.setAutoCommit(true);
                conn.setTransactionIsolation(isolation);
            }
        }
    }

    private static List<String> lock(PreparedStatement lock) throws SQLException {
        LocalDateTime now = LocalDateTime.now(ZoneOffset.UTC);
        lock.setObject(1, now);
        lock.setObject(2, now.minusMinutes(5));
        List<String> ids = new ArrayList<>(HandWritten.BATCH);
        try (ResultSet rows = lock.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getString(1));
                HandWritten.handle(rows);
            }
        }
        return ids;
    }

    private static void note(PreparedStatement note, String owner, List<String> ids) throws SQLException {
        if (!ids.isEmpty()) {
            note.setString(1, owner);
            note.setObject(2, LocalDateTime.now(ZoneOffset.UTC));
            bind(note, 3, ids);
            note.executeUpdate();
        }
    }

    private static int acknowledge(PreparedStatement acknowledge, String owner, List<String> ids) throws SQLException {
        if (ids.isEmpty()) {
            return 0;
        }
        acknowledge.setObject(1, LocalDateTime.now(ZoneOffset.UTC));
        bind(acknowledge, 2, ids);
        acknowledge.setString(HandWritten.BATCH + 2, owner);
        return acknowledge.executeUpdate();
    }

    /** Binds all places; the last page repeats its last id. */
    private static void bind(PreparedStatement statement, int from, List<String> ids) throws SQLException {
        for (int i = 0; i < HandWritten.BATCH; i++) {
            statement.setString(from + i, ids.get(Math.min(i, ids.size() - 1)));
        }
    }
}
