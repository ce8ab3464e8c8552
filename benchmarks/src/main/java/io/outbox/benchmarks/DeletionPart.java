package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What is saved by deleting events when they are done instead of marking them: of a backlog, and of hot events from
 * their INSERT on.
 */
final class DeletionPart implements Part {

    /** Events of one transaction; all of them fit into the hot queue. */
    private static final int TRANSACTION = 200;

    private static final Drain KEPT = new Drain("kept", "single node, marked", OutboxDrain.singleNode(500));
    private static final Drain DELETED =
            new Drain("deleted", "single node, deleted", OutboxDrain.singleNodeDeleting(500));
    private static final Drain SEVERAL_KEPT =
            new Drain("several-kept", "several nodes, marked", OutboxDrain.multiNode(500));
    private static final Drain SEVERAL_DELETED =
            new Drain("several-deleted", "several nodes, deleted", OutboxDrain.multiNodeDeleting(500));
    private static final Drain HOT_KEPT =
            new Drain("hot-kept", "hot, marked", (database, events) -> hot(database, events, Duration.ofDays(7)));
    private static final Drain HOT_DELETED =
            new Drain("hot-deleted", "hot, deleted", (database, events) -> hot(database, events, Duration.ZERO));

    private static final List<Drain> BACKLOG = List.of(KEPT, DELETED, SEVERAL_KEPT, SEVERAL_DELETED);
    private static final List<Drain> HOT = List.of(HOT_KEPT, HOT_DELETED);

    private final Database database;

    DeletionPart(Database database) {
        this.database = database;
    }

    @Override
    public void run(Report report) throws Exception {
        int events = Settings.EVENTS;
        Rounds.run("Warming up", BACKLOG, 1, drain -> drain(drain, events));
        report(
                report,
                String.format("Backlog of %,d events, marked when done or deleted, PostgreSQL", events),
                Rounds.run("Backlog, marked or deleted", BACKLOG, Settings.ROUNDS, drain -> drain(drain, events)));
        report(
                report,
                String.format("%,d hot events of several nodes, from the INSERT on, PostgreSQL", events),
                Rounds.run("Hot events, marked or deleted", HOT, Settings.ROUNDS, drain -> write(drain, events)));
    }

    private Figures drain(Drain drain, int events) throws Exception {
        database.reset();
        database.insertBacklog(events);
        return drain.measure(database, events);
    }

    private Figures write(Drain drain, int events) throws Exception {
        database.reset();
        database.settle();
        return drain.measure(database, events);
    }

    /** Reports each pair beside each other. */
    private static void report(Report report, String title, Map<Drain, Results<Figures>> results) {
        report.table(title, "events/s", "WAL bytes/event", "rate", "WAL");
        Results<Figures> marked = null;
        for (Map.Entry<Drain, Results<Figures>> result : results.entrySet()) {
            Results<Figures> figures = result.getValue();
            boolean isFirst = marked == null;
            marked = isFirst ? figures : marked;
            report.row(
                    result.getKey().label(),
                    Report.spread(figures.of(Figures::perSecond)),
                    Report.median(figures.of(Figures::walBytes), "%,.0f"),
                    isFirst ? "" : Report.ratio(figures.of(Figures::perSecond), marked.of(Figures::perSecond)),
                    isFirst ? "" : Report.ratio(figures.of(Figures::walBytes), marked.of(Figures::walBytes)));
            marked = isFirst ? marked : null;
        }
    }

    /** Writes events and has them delivered straight after their commit. */
    private static void hot(Database database, int events, Duration retention) throws Exception {
        CountDownLatch[] open = {null};
        DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("Benchmarked", event -> {
            open[0].countDown();
            return DispatchResult.done();
        });
        try (Outbox outbox = Outbox.multiNode()
                .claimLocking(Lease.DEFAULT_DURATION)
                .backend(database.jdbc().backend())
                .listenerRegistry(listeners)
                .purgeRetention(retention)
                .build()) {
            for (int written = 0; written < events; written += TRANSACTION) {
                open[0] = new CountDownLatch(TRANSACTION);
                try (Transaction tx = database.jdbc().begin()) {
                    outbox.writer()
                            .writeAll(Stream.generate(() -> EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD))
                                    .limit(TRANSACTION)
                                    .toList());
                    tx.commit();
                }
                if (!open[0].await(1, TimeUnit.MINUTES)) {
                    throw new IllegalStateException(open[0].getCount() + " events were not delivered in a minute");
                }
            }
        }
    }
}
