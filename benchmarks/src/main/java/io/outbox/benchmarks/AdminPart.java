package io.outbox.benchmarks;

import io.outbox.Outbox;
import io.outbox.admin.OutboxAdmin;
import io.outbox.admin.OutboxAdminServer;
import io.outbox.admin.OutboxSeries;
import io.outbox.spi.MetricsExporter;
import io.outbox.testservers.PostgresServer;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What a dead letter queue that is full, and a dashboard that is watched, take from delivery. */
final class AdminPart implements Part {

    /** How a backlog is delivered, and where. */
    private record Candidate(Drain drain, Database database) {

        Figures measure() throws Exception {
            database.reset();
            database.insertBacklog(Settings.EVENTS);
            return drain.measure(database, Settings.EVENTS);
        }

        @Override
        public String toString() {
            return drain.label();
        }
    }

    /** The place of the candidate with a viewer; the one before it differs in nothing else. */
    private static final int WATCHED = 3;

    private int updates;

    @Override
    public void run(Report report) throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Database plain = Database.create(server.newDatabase() + Settings.CONNECTION);
                Database full = Database.create(server.newDatabase() + Settings.CONNECTION)) {
            full.insertLetters(Settings.LETTERS);
            List<Candidate> candidates = List.of(
                    new Candidate(new Drain("plain", "outbox alone", OutboxDrain.singleNode(0)), plain),
                    new Candidate(new Drain("metrics", "outbox alone, with metrics", alone()), plain),
                    new Candidate(
                            new Drain(
                                    "full",
                                    "with dead letters and administration",
                                    administered(admin -> admin::close)),
                            full),
                    new Candidate(
                            new Drain("watched", "the same, while a dashboard is watched", administered(this::watch)),
                            full));
            Rounds.run("Warming up", candidates, 1, Candidate::measure);
            updates = 0;
            Map<Candidate, Results<Figures>> results =
                    Rounds.run("Backlog beside dead letters", candidates, Settings.ROUNDS, Candidate::measure);
            report(report, results);
        }
    }

    private static Drain.Way alone() {
        return OutboxDrain.drain(
                (database, listeners) -> Outbox.singleNode()
                        .backend(database.jdbc().backend())
                        .listenerRegistry(listeners)
                        .metrics(OutboxSeries.around(MetricsExporter.NOOP))
                        .build(),
                outbox -> () -> {});
    }

    private static Drain.Way administered(Function<OutboxAdmin, Runnable> beside) {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
        return OutboxDrain.drain(
                (database, listeners) -> Outbox.singleNode()
                        .backend(database.jdbc().withDeadLetters().backend())
                        .listenerRegistry(listeners)
                        .metrics(series)
                        .build(),
                outbox -> beside.apply(OutboxAdmin.of(outbox).series(series).build()));
    }

    private Runnable watch(OutboxAdmin admin) {
        OutboxAdminServer server = OutboxAdminServer.start(admin, new InetSocketAddress("127.0.0.1", 0));
        Viewer viewer = new Viewer(server.address());
        return () -> {
            updates += viewer.updates();
            admin.close();
            server.close();
            viewer.awaitEnd();
        };
    }

    private void report(Report report, Map<Candidate, Results<Figures>> results) {
        report.table(
                String.format(
                        "Backlog of %,d events of 300 bytes beside %,d dead letters, PostgreSQL, one node",
                        Settings.EVENTS, Settings.LETTERS),
                "events/s",
                "of it alone",
                "JVM µs/event",
                "database µs/event",
                "WAL bytes/event");
        Series alone = results.values().iterator().next().of(Figures::perSecond);
        results.forEach((candidate, figures) -> report.row(
                candidate.toString(),
                Report.spread(figures.of(Figures::perSecond)),
                Report.ratio(figures.of(Figures::perSecond), alone),
                Report.median(figures.of(Figures::jvmMicros), "%.1f"),
                Report.median(figures.of(Figures::serverMicros), "%.1f"),
                Report.median(figures.of(Figures::walBytes), "%,.0f")));
        List<Series> rates = results.values().stream()
                .map(figures -> figures.of(Figures::perSecond))
                .toList();
        report.text(String.format(
                "Beside a dashboard that is watched, the rate is %s of that beside one that nobody watches (95 %% wanted). It was"
                        + " told %.1f times in each round.",
                Report.ratio(rates.get(WATCHED), rates.get(WATCHED - 1)), (double) updates / Settings.ROUNDS));
    }
}
