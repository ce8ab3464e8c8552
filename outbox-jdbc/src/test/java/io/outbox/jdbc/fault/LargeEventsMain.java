package io.outbox.jdbc.fault;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Writes large events in each way there is, and delivers them; the listener waits until all are written, so that they
 * come to wait wherever events can. Ends with failure on any error of the JVM, and if an event comes twice.
 */
final class LargeEventsMain {

    private static final String TYPE = "Large";
    private static final int PAYLOAD = 1_000_000;
    private static final Duration OUTCOMES_WITHIN = Duration.ofMinutes(3);

    private final HikariDataSource pool;
    private final JdbcOutbox jdbc;
    private final boolean several;
    private final int events;
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();
    private final CountDownLatch written = new CountDownLatch(1);
    private final CountDownLatch left;
    private volatile String failure;

    private LargeEventsMain(HikariDataSource pool, JdbcOutbox jdbc, boolean several, int events) {
        this.pool = pool;
        this.jdbc = jdbc;
        this.several = several;
        this.events = events;
        this.left = new CountDownLatch(events);
    }

    /** Arguments: JDBC URL, whether the outbox is one of several nodes, and how many events are written in each way. */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(args[0], 8)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool);
            jdbc.createSchema();
            boolean several = Boolean.parseBoolean(args[1]);
            int events = Integer.parseInt(args[2]);
            new LargeEventsMain(pool, jdbc, several, events).deliverWhatIsThere();
            new LargeEventsMain(pool, jdbc, several, events).deliverFromManyTransactions();
            new LargeEventsMain(pool, jdbc, several, events).deliverFromOneTransaction();
        }
    }

    private void deliverWhatIsThere() throws Exception {
        try (Outbox writing = Outbox.writerOnly().backend(jdbc.backend()).build()) {
            for (int i = 0; i < events; i++) {
                writeOne(writing.writer());
            }
        }
        written.countDown();
        try (Outbox outbox = open()) {
            awaitAll(outbox);
        }
    }

    private void deliverFromManyTransactions() throws Exception {
        try (Outbox outbox = open()) {
            for (int i = 0; i < events; i++) {
                writeOne(outbox.writer());
            }
            written.countDown();
            awaitAll(outbox);
        }
    }

    private void deliverFromOneTransaction() throws Exception {
        try (Outbox outbox = open()) {
            try (Transaction tx = jdbc.begin()) {
                for (int i = 0; i < events; i++) {
                    outbox.writer().write(TYPE, payload());
                }
                tx.commit();
            }
            written.countDown();
            awaitAll(outbox);
        }
    }

    private void writeOne(OutboxWriter writer) {
        try (Transaction tx = jdbc.begin()) {
            writer.write(TYPE, payload());
            tx.commit();
        }
    }

    private static String payload() {
        return '"' + "x".repeat(PAYLOAD) + '"';
    }

    private long pending() {
        return OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)");
    }

    private Outbox open() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(TYPE, event -> {
            written.await();
            if (!delivered.add(event.eventId())) {
                failure = "Delivered twice: " + event.eventId();
            }
            left.countDown();
            return DispatchResult.done();
        });
        Outbox.AbstractBuilder<?> builder =
                several ? Outbox.multiNode().claimLocking("node", Duration.ofMinutes(1)) : Outbox.singleNode();
        return builder.backend(jdbc.backend()).listenerRegistry(listeners).build();
    }

    private void awaitAll(Outbox outbox) throws InterruptedException {
        left.await();
        // a busy server may take longer for the last outcomes than an outbox that is closed waits
        await().atMost(OUTCOMES_WITHIN).pollInterval(Duration.ofSeconds(1)).until(() -> pending() == 0);
        outbox.close();
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }
}
