package io.outbox.jdbc.fault;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.Pause;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Writers that go on whatever happens to the database, and a listener that counts. A failed transaction is given up, as
 * an application would; whether it was committed after all, only the table knows.
 */
final class FaultyLoad {

    static final String EVENT_TYPE = "Loaded";

    /** A business's own record of an event, in the transaction of the event. */
    static final String BUSINESS_TABLE = "CREATE TABLE business (event_id VARCHAR(36) PRIMARY KEY)";

    static final String BUSINESS_ROWS = "SELECT event_id FROM business";
    private static final String BUSINESS_ROW = "INSERT INTO business VALUES (?)";

    private static final Duration THINK_TIME = Duration.ofMillis(3);
    private static final Duration LISTENER_TIME = Duration.ofMillis(2);

    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();
    private final Queue<String> attempted = new ConcurrentLinkedQueue<>();
    private final Queue<String> committed = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failedTransactions = new AtomicInteger();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private boolean hasBusinessRows;

    /** Has each transaction write a row into {@link #BUSINESS_TABLE} beside its event; call before the start. */
    void writeBusinessRows() {
        hasBusinessRows = true;
    }

    /** Starts writers; each asks for its outbox before every transaction. */
    void start(int writers, JdbcOutbox jdbc, Supplier<OutboxWriter> writer) {
        for (int i = 0; i < writers; i++) {
            Thread thread = new Thread(() -> writeUntilStopped(jdbc, writer), "load-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void writeUntilStopped(JdbcOutbox jdbc, Supplier<OutboxWriter> writer) {
        try {
            while (!stopping.get()) {
                writeOnce(jdbc, writer.get());
                Pause.of(THINK_TIME);
            }
        } catch (Throwable e) {
            unexpected.add(e);
        }
    }

    private void writeOnce(JdbcOutbox jdbc, OutboxWriter writer) {
        EventEnvelope event = EventEnvelope.ofJson(EVENT_TYPE, "{}");
        attempted.add(event.eventId());
        try (Transaction tx = jdbc.begin()) {
            if (hasBusinessRows) {
                JdbcTemplate.update(tx.connection(), BUSINESS_ROW, event.eventId());
            }
            writer.write(event);
            tx.commit();
            committed.add(event.eventId());
        } catch (OutboxStoreException e) {
            failedTransactions.incrementAndGet();
        }
    }

    EventListener listener() {
        return event -> {
            deliveries.merge(event.eventId(), 1, Integer::sum);
            Pause.of(LISTENER_TIME);
            return DispatchResult.done();
        };
    }

    void stop() throws InterruptedException {
        stopping.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Returns how often each event reached the listener. */
    Map<String, Integer> deliveries() {
        return deliveries;
    }

    int delivered() {
        return deliveries.size();
    }

    /** Returns the events that a transaction has begun to write, whatever became of it. */
    Queue<String> attempted() {
        return attempted;
    }

    /** Returns the events whose commit was confirmed. */
    Queue<String> committed() {
        return committed;
    }

    int failedTransactions() {
        return failedTransactions.get();
    }

    /** Fails if a writer met something that is no failure of the database. */
    void requireRunning() {
        for (Throwable e : unexpected) {
            throw new AssertionError("A writer failed", e);
        }
    }
}
