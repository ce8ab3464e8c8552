package io.outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The outbox that a team writes by hand with a table of its own, made for its one loop: a number as key, one index of
 * what is not published yet, and one transaction in which a batch is locked, handled and marked or deleted. Nothing
 * else: no retry, no delay, no dead letters, and a listener that takes long keeps a transaction open.
 */
final class OwnTable {

    private static final String LOCK = """
            SELECT id, event_type, payload, created_at FROM own_event WHERE published = FALSE
            ORDER BY id LIMIT 500 FOR UPDATE SKIP LOCKED""";

    private static final String DELETE_AND_RETURN = """
            DELETE FROM own_event WHERE id = ANY(ARRAY(
              SELECT id FROM own_event WHERE published = FALSE ORDER BY id LIMIT 500 FOR UPDATE SKIP LOCKED))
            RETURNING id, event_type, payload, created_at""";

    private static final String MARK =
            "UPDATE own_event SET published = TRUE, published_at = CURRENT_TIMESTAMP WHERE id";
    private static final String DELETE = "DELETE FROM own_event WHERE id";

    private static final String INSERT = "INSERT INTO own_event (event_type, payload) VALUES (?, ?)";

    private OwnTable() {}

    /** Writes an event. */
    static void insert(Connection conn) throws SQLException {
        try (PreparedStatement insert = conn.prepareStatement(INSERT)) {
            insert.setString(1, "Benchmarked");
            insert.setString(2, Database.PAYLOAD);
            insert.executeUpdate();
        }
    }

    /** Relays batch after batch, each in one transaction that marks its events; as {@link HandWritten#relay}. */
    static void relayMarking(Database database, String owner, IntPredicate goesOn) throws SQLException {
        relay(database, goesOn, conn -> {
            List<Long> ids = query(conn, LOCK);
            finish(database, conn, MARK, ids);
            return ids.size();
        });
    }

    /** Relays batch after batch, each in one transaction that deletes its events. */
    static void relayDeleting(Database database, String owner, IntPredicate goesOn) throws SQLException {
        relay(database, goesOn, conn -> {
            if (database.dialect().returnsDeleted()) {
                return query(conn, DELETE_AND_RETURN).size();
            }
            List<Long> ids = query(conn, LOCK);
            finish(database, conn, DELETE, ids);
            return ids.size();
        });
    }

    /** What is done with a batch in its transaction; returns how many events it had. */
    private interface Batch {
        int relay(Connection conn) throws SQLException;
    }

    private static void relay(Database database, IntPredicate goesOn, Batch batch) throws SQLException {
        try (Connection conn = database.connection()) {
            int isolation = conn.getTransactionIsolation();
            conn.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            conn.setAutoCommit(false);
            try {
                boolean going = true;
                while (going) {
                    try {
                        int handled = batch.relay(conn);
                        conn.commit();
                        going = goesOn.test(handled);
                    } catch (SQLTransactionRollbackException deadlock) {
                        // two relays of MySQL get into each other's way when they delete; the batch begins anew
                        conn.rollback();
                    }
                }
            } finally {
                conn.rollback();
                conn.setAutoCommit(true);
                conn.setTransactionIsolation(isolation);
            }
        }
    }

    private static List<Long> query(Connection conn, String sql) throws SQLException {
        List<Long> ids = new ArrayList<>(HandWritten.BATCH);
        try (PreparedStatement statement = conn.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
                rows.getString(2);
                rows.getString(3);
                rows.getString(4);
            }
        }
        return ids;
    }

    private static void finish(Database database, Connection conn, String sql, List<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        if (database.dialect().returnsDeleted()) {
            try (PreparedStatement statement = conn.prepareStatement(sql + " = ANY(?)")) {
                statement.setArray(1, conn.createArrayOf("bigint", ids.toArray()));
                statement.executeUpdate();
            }
            return;
        }
        String places = " IN (" + String.join(", ", Collections.nCopies(ids.size(), "?")) + ")";
        try (PreparedStatement statement = conn.prepareStatement(sql + places)) {
            for (int i = 0; i < ids.size(); i++) {
                statement.setLong(i + 1, ids.get(i));
            }
            statement.executeUpdate();
        }
    }
}
