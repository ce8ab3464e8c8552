package io.outbox.jdbc.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A node that writes and delivers in the order of keys, in a process of its own, until its standard input ends. Writers
 * of a key are serialised by the row of its aggregate, whose counter numbers its events; the listener notes in a table
 * what it got.
 */
final class KeyedNodeMain {

    static final String EVENT_TYPE = "Numbered";
    private static final int FAILS_ONE_IN = 30;
    private static final long THINK_NANOS = 2_000_000;

    private KeyedNodeMain() {}

    /** Arguments: JDBC URL, name of the node, lease in milliseconds, number of keys, number of writers. */
    public static void main(String[] args) throws Exception {
        int keys = Integer.parseInt(args[3]);
        AtomicBoolean stopping = new AtomicBoolean();
        List<Thread> writers = new ArrayList<>();
        try (HikariDataSource pool = TestDatabase.pool(args[0], 12)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool);
            DefaultListenerRegistry listeners = new DefaultListenerRegistry();
            listeners.register(EVENT_TYPE, listener(pool, args[1]));
            try (Outbox outbox = Outbox.multiNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(listeners)
                    .claimLocking(args[1], Duration.ofMillis(Long.parseLong(args[2])))
                    .ordering(Ordering.byKey())
                    .maxAttempts(1000)
                    .retryPolicy(attempt -> 20)
                    .intervalMs(200)
                    .purgeRetention(Duration.ZERO)
                    .drainTimeoutMs(100)
                    .build()) {
                for (int i = 0; i < Integer.parseInt(args[4]); i++) {
                    Random random = new Random(args[1].hashCode() * 31L + i);
                    Thread writer = new Thread(() -> {
                        while (!stopping.get()) {
                            write(jdbc, outbox, "k" + random.nextInt(keys));
                            LockSupport.parkNanos(THINK_NANOS);
                        }
                    });
                    writer.start();
                    writers.add(writer);
                }
                System.out.println("ready");
                System.in.read(); // stop writing
                stopping.set(true);
                for (Thread writer : writers) {
                    writer.join();
                }
                System.out.println("written");
                while (System.in.read() >= 0) {
                    // only the end matters
                }
            }
        }
    }

    private static void write(JdbcOutbox jdbc, Outbox outbox, String key) {
        try (Transaction tx = jdbc.begin()) {
            Connection conn = tx.connection();
            JdbcTemplate.update(conn, "UPDATE aggregate SET events = events + 1 WHERE id = ?", key);
            int number = JdbcTemplate.query(
                            conn, "SELECT events FROM aggregate WHERE id = ?", row -> row.getInt("events"), key)
                    .get(0);
            outbox.writer()
                    .write(EventEnvelope.builder(EVENT_TYPE)
                            .aggregateId(key)
                            .payloadJson(Integer.toString(number))
                            .build());
            if (ThreadLocalRandom.current().nextInt(20) == 0) {
                tx.rollback();
            } else {
                tx.commit();
            }
        }
    }

    private static EventListener listener(HikariDataSource pool, String node) {
        return event -> {
            note(pool, node, event, "begin");
            if (ThreadLocalRandom.current().nextInt(FAILS_ONE_IN) == 0) {
                throw new IllegalStateException("fails on purpose");
            }
            note(pool, node, event, "end");
            return DispatchResult.done();
        };
    }

    private static void note(HikariDataSource pool, String node, EventEnvelope event, String what) throws Exception {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(
                    conn,
                    "INSERT INTO delivery (id, number, node, what) VALUES (?, ?, ?, ?)",
                    event.key(),
                    Integer.parseInt(event.payloadJson()),
                    node,
                    what);
        }
    }
}
