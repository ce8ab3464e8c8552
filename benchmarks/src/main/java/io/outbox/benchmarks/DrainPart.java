package io.outbox.benchmarks;

import java.util.List;
import java.util.Map;

/** How fast a backlog is delivered by a JVM that is warm, or by one that has just been started. */
final class DrainPart implements Part {

    private final Database database;
    private final List<Drain> drains;

    DrainPart(Database database, List<Drain> drains) {
        this.database = database;
        this.drains = drains;
    }

    @Override
    public void run(Report report) throws Exception {
        int events = Settings.EVENTS;
        Rounds.run("Warming up", drains, 1, drain -> measure(drain, events));
        Map<Drain, Results<Figures>> results =
                Rounds.run("Backlog, warm JVM", drains, Settings.ROUNDS, drain -> measure(drain, events));
        report(
                report,
                String.format(
                        "Backlog of %,d events of 300 bytes, %s, warm JVM",
                        events, database.dialect().name()),
                results);
    }

    private Figures measure(Drain drain, int events) throws Exception {
        drain.prepare(database, events);
        return drain.measure(database, events);
    }

    /** Reports all beside the first. */
    static void report(Report report, String title, Map<Drain, Results<Figures>> results) {
        report.table(title, "events/s", "of the loop", "JVM µs/event", "database µs/event", "WAL bytes/event");
        Series limit = results.values().iterator().next().of(Figures::perSecond);
        results.forEach((drain, figures) -> report.row(
                drain.label(),
                Report.spread(figures.of(Figures::perSecond)),
                Report.ratio(figures.of(Figures::perSecond), limit),
                Report.median(figures.of(Figures::jvmMicros), "%.1f"),
                Report.median(figures.of(Figures::serverMicros), "%.1f"),
                Report.median(figures.of(Figures::walBytes), "%,.0f")));
    }
}
