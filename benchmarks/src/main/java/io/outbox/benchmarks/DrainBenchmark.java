package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How fast a backlog of stored events is delivered to a listener that does nothing, in events per second. */
final class DrainBenchmark {

    private static final int BATCH = 500;

    private final Database database;
    private final int events;

    DrainBenchmark(Database database, int events) {
        this.database = database;
        this.events = events;
    }

    void warmUp() throws Exception {
        handWritten();
        outbox();
    }

    double handWritten() throws SQLException {
        database.reset();
        return handWrittenOnTop();
    }

    double outbox() throws Exception {
        database.reset();
        return outboxOnTop();
    }

    /** The loop a team would write by hand: lock a batch, handle it, mark it done, commit. */
    double handWrittenOnTop() throws SQLException {
        database.insertBacklog(events);
        long start = System.nanoTime();
        int handled = 0;
        try (Connection conn = database.connection()) {
            conn.setAutoCommit(false);
            for (List<String> ids; !(ids = lockBatch(conn)).isEmpty(); handled += ids.size()) {
                try (PreparedStatement done = conn.prepareStatement(
                        "UPDATE outbox_event SET status = 1, done_at = now() WHERE event_id = ANY(?)")) {
                    done.setArray(1, conn.createArrayOf("varchar", ids.toArray()));
                    done.executeUpdate();
                }
                conn.commit();
            }
            conn.commit();
        }
        return perSecond(handled, start);
    }

    private static List<String> lockBatch(Connection conn) throws SQLException {
        try (PreparedStatement select = conn.prepareStatement(
                "SELECT event_id, event_type, payload, headers, attempts, created_at FROM outbox_event"
                        + " WHERE status IN (0, 2) AND available_at <= now() AT TIME ZONE 'UTC'"
                        + " ORDER BY available_at LIMIT " + BATCH + " FOR UPDATE SKIP LOCKED")) {
            List<String> ids = new ArrayList<>(BATCH);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                    rows.getString(3);
                }
            }
            return ids;
        }
    }

    /** The outbox as it is: poller, dispatcher and completion, until every outcome is durable. */
    double outboxOnTop() throws Exception {
        database.insertBacklog(events);
        CountDownLatch delivered = new CountDownLatch(events);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("Benchmarked", event -> {
            delivered.countDown();
            return DispatchResult.done();
        });
        long start = System.nanoTime();
        Outbox outbox = Outbox.singleNode()
                .backend(database.jdbc().backend())
                .listenerRegistry(listeners)
                .batchSize(BATCH)
                .build();
        try (outbox) {
            if (!delivered.await(5, TimeUnit.MINUTES)) {
                throw new IllegalStateException(delivered.getCount() + " events were not delivered in 5 minutes");
            }
        }
        double rate = perSecond(events, start);
        if (database.pending() != 0) {
            throw new IllegalStateException(database.pending() + " events are still pending");
        }
        return rate;
    }

    private static double perSecond(int count, long startNanos) {
        return count / ((System.nanoTime() - startNanos) / 1e9);
    }
}
