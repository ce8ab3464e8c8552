package io.outbox.benchmarks;

import io.outbox.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntPredicate;

/**
 * The relay that a team of several instances writes by hand: it claims a batch by a lock in the rows, handles it
 * outside of a transaction, and marks it done while the lock is still its own. Nothing else: no retry, no renewal, no
 * order, no metrics.
 */
final class HandWritten {

    static final int THREADS = 2;
    static final int BATCH = 500;

    private static final String CLAIM = """
            UPDATE outbox_event SET locked_by = ?, locked_at = now() AT TIME ZONE 'UTC'
            WHERE event_id = ANY(ARRAY(
              SELECT event_id FROM outbox_event
              WHERE status IN (0, 2) AND available_at <= now() AT TIME ZONE 'UTC'
                AND (locked_by IS NULL OR locked_at < now() AT TIME ZONE 'UTC' - interval '5 minutes')
              ORDER BY available_at LIMIT 500
              FOR UPDATE SKIP LOCKED))
            RETURNING event_id, event_type, aggregate_type, aggregate_id, payload, headers, attempts, created_at""";

    private static final String ACKNOWLEDGE = """
            UPDATE outbox_event SET status = 1, done_at = now() AT TIME ZONE 'UTC', locked_by = NULL, locked_at = NULL
            WHERE event_id = ANY(?) AND locked_by = ?""";

    private static final String INSERT = """
            INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status, attempts, available_at,
              created_at) VALUES (?, ?, ?, ?, 0, 0, now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC')""";

    private HandWritten() {}

    /** Writes an event. */
    static void insert(Connection conn, EventEnvelope event) throws SQLException {
        try (PreparedStatement insert = conn.prepareStatement(INSERT)) {
            insert.setString(1, event.eventId());
            insert.setString(2, event.eventType());
            insert.setString(3, event.aggregateType());
            insert.setString(4, event.payloadJson());
            insert.executeUpdate();
        }
    }

    /** Drains the backlog with two threads of the loop for the outbox's table. */
    static void drain(Database database, int events) throws Exception {
        drain(database, events, database.dialect().loop());
    }

    /** Drains the backlog with two threads. */
    static void drain(Database database, int events, Dialect.Loop loop) throws Exception {
        LongAdder handled = new LongAdder();
        drain(database, "relay", loop, handled);
        if (handled.sum() != events) {
            throw new IllegalStateException(handled.sum() + " events were handled instead of " + events);
        }
    }

    /**
     * Drains with two threads what others, who may do so at the same time, leave.
     *
     * @param name what the names of the owners begin with
     * @param handled counts what these threads have drained
     */
    static void drain(Database database, String name, Dialect.Loop loop, LongAdder handled) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> relays = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                String owner = name + "-" + i;
                relays.add(threads.submit(() -> {
                    loop.relay(database, owner, count -> {
                        handled.add(count);
                        return count > 0;
                    });
                    return null;
                }));
            }
            for (Future<?> relay : relays) {
                relay.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    /**
     * Relays batch after batch.
     *
     * @param goesOn told how many events were relayed, after every batch, and asked whether there is another
     */
    static void relay(Database database, String owner, IntPredicate goesOn) throws SQLException {
        try (Connection conn = database.connection();
                PreparedStatement claim = conn.prepareStatement(CLAIM);
                PreparedStatement acknowledge = conn.prepareStatement(ACKNOWLEDGE)) {
            claim.setString(1, owner);
            acknowledge.setString(2, owner);
            int handled;
            do {
                List<String> ids = claim(claim);
                acknowledge.setArray(1, conn.createArrayOf("varchar", ids.toArray()));
                handled = ids.isEmpty() ? 0 : acknowledge.executeUpdate();
            } while (goesOn.test(handled));
        }
    }

    private static List<String> claim(PreparedStatement claim) throws SQLException {
        List<String> ids = new ArrayList<>(BATCH);
        try (ResultSet rows = claim.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getString(1));
                handle(rows);
            }
        }
        return ids;
    }

    /** Reads what a listener would be given. */
    static void handle(ResultSet rows) throws SQLException {
        for (int column = 2; column <= 8; column++) {
            rows.getString(column);
        }
    }
}
