package io.outbox.jdbc.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.Pause;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The program of a {@link NodeProcess}: writes and delivers until its standard input ends, then closes its outbox. When
 * the test's JVM dies, the input ends too.
 */
final class NodeMain {

    static final String EVENT_TYPE = "Numbered";
    static final int WORKERS = 4;

    private static final int BATCH_SIZE = 20;
    private static final int ROLLBACK_ONE_IN = 4;

    private final String name;
    private final Journal journal;
    private final NodeSettings settings;

    private NodeMain(String name, Journal journal, NodeSettings settings) {
        this.name = name;
        this.journal = journal;
        this.settings = settings;
    }

    /** Arguments: JDBC URL, name of the node, file of the journal, settings. */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(args[0], 10);
                Journal journal = Journal.open(Path.of(args[2]))) {
            new NodeMain(args[1], journal, NodeSettings.ofArguments(args, 3)).run(JdbcOutbox.of(pool));
            journal.note(Journal.Kind.CLOSED, args[1]);
        }
    }

    private void run(JdbcOutbox jdbc) throws IOException, InterruptedException {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(EVENT_TYPE, listener());
        List<Thread> writers = new ArrayList<>();
        try (Outbox outbox = Outbox.multiNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners)
                .claimLocking(name, settings.lease())
                .workerCount(WORKERS)
                .hotQueueCapacity(settings.queueCapacity())
                .coldQueueCapacity(settings.queueCapacity())
                .batchSize(BATCH_SIZE)
                .intervalMs(10)
                .drainTimeoutMs(100)
                .purgeRetention(settings.keepsDone() ? OutboxPurgeScheduler.DEFAULT_RETENTION : Duration.ZERO)
                .build()) {
            journal.note(Journal.Kind.READY, name);
            for (int i = 0; i < settings.writers(); i++) {
                Random random = new Random(name.hashCode() + i);
                Thread writer = new Thread(() -> write(jdbc, outbox.writer(), random), "writer-" + i);
                writer.start();
                writers.add(writer);
            }
            while (System.in.read() >= 0) {
                // only the end matters
            }
        }
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private EventListener listener() {
        Duration time = settings.listenerTime();
        return event -> {
            journal.note(Journal.Kind.STARTED, event.eventId());
            if (!time.isZero()) {
                Pause.of(time);
            }
            journal.note(Journal.Kind.ENDED, event.eventId());
            return DispatchResult.done();
        };
    }

    /** Goes on after the outbox was closed: such events are for the next node. */
    private void write(JdbcOutbox jdbc, OutboxWriter writer, Random random) {
        for (int i = 0; i < settings.transactionsPerWriter(); i++) {
            List<EventEnvelope> events = new ArrayList<>();
            for (int n = random.nextInt(3); n >= 0; n--) {
                events.add(EventEnvelope.ofJson(EVENT_TYPE, "{\"number\":" + i + "}"));
            }
            try (Transaction tx = jdbc.begin()) {
                writer.writeAll(events);
                if (random.nextInt(ROLLBACK_ONE_IN) == 0) {
                    events.forEach(event -> journal.note(Journal.Kind.ROLLED_BACK, event.eventId()));
                    tx.rollback();
                } else {
                    tx.commit();
                    events.forEach(event -> journal.note(Journal.Kind.COMMITTED, event.eventId()));
                }
            }
        }
        journal.note(Journal.Kind.WRITTEN, Thread.currentThread().getName());
    }
}
