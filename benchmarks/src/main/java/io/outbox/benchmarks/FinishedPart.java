package io.outbox.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How the number of finished rows in the table tells on the drain of a backlog. */
final class FinishedPart implements Part {

    private static final List<Integer> STEPS = List.of(0, 100_000, 1_000_000, 10_000_000);

    private final Database database;
    private final List<Drain> drains;

    FinishedPart(Database database, List<Drain> drains) {
        this.database = database;
        this.drains = drains;
    }

    @Override
    public void run(Report report) throws Exception {
        int events = Settings.COLD_EVENTS;
        List<Integer> steps =
                STEPS.stream().filter(rows -> rows <= Settings.FINISHED).toList();
        Map<Drain, List<Series>> rates = new LinkedHashMap<>();
        drains.forEach(drain -> rates.put(drain, new ArrayList<>()));
        for (int finished : steps) {
            database.reset();
            database.insertFinished(finished);
            String title = String.format("Backlog behind %,d finished rows", finished);
            Map<Drain, Results<Figures>> results =
                    Rounds.run(title, drains, Settings.ROUNDS + 1, drain -> measure(drain, events));
            results.forEach((drain, figures) -> rates.get(drain).add(figures.of(Figures::perSecond)));
        }
        report.table(
                String.format("Backlog of %,d events behind finished rows, PostgreSQL, warm JVM, events/s", events),
                steps.stream().map(rows -> String.format("%,d finished", rows)).toArray(String[]::new));
        rates.forEach((drain, series) -> report.row(
                drain.label(),
                series.stream().map(one -> cell(one, series.get(0))).toArray(String[]::new)));
        plot(steps, rates);
    }

    private static String cell(Series rate, Series first) {
        return String.format(Locale.ROOT, "%,.0f", rate.median())
                + (rate == first ? "" : " (" + Report.ratio(rate, first) + ")");
    }

    /** Adds a backlog on top of the finished rows, and takes it away when it is delivered. */
    private Figures measure(Drain drain, int events) throws Exception {
        database.insertBacklog(events);
        try {
            return drain.measure(database, events);
        } finally {
            database.removeBacklog();
        }
    }

    private static void plot(List<Integer> steps, Map<Drain, List<Series>> rates) throws Exception {
        Plot plot = new Plot(
                "Drain of a backlog against finished rows in the table",
                "finished rows",
                "events per second",
                steps.stream()
                        .map(rows -> String.format(Locale.ROOT, "%,d", rows))
                        .toList());
        rates.forEach((drain, series) ->
                plot.line(drain.label(), series.stream().map(Series::median).toList()));
        plot.write("drain-against-finished-rows.svg");
    }
}
