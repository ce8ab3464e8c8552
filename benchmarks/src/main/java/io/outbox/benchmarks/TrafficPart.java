package io.outbox.benchmarks;

import io.outbox.benchmarks.Traffic.Session;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many transactions writers commit, each with one business row and one event that is delivered meanwhile. */
final class TrafficPart implements Part {

    private static final List<Integer> WRITERS = Settings.WRITERS;
    private static final int WARM_UP_WRITERS = 4;
    /** After fewer the compiler is still busy, mostly with the way that has most code. */
    private static final int WARM_UP_ROUNDS = 4;

    private final Database database;
    private final List<Traffic> ways;

    TrafficPart(Database database, List<Traffic> ways) {
        this.database = database;
        this.ways = ways;
    }

    /**
     * What became of one round.
     *
     * @param jvmMicros processor time of the JVM per commit
     * @param serverMicros processor time of the database per commit
     * @param undelivered the share of events that were not delivered when the writers ended
     */
    private record Result(double commitsPerSecond, double jvmMicros, double serverMicros, double undelivered) {

        @Override
        public String toString() {
            return String.format(
                    "%,.0f commits/s, JVM %.0f µs, database %.0f µs per commit, %.1f %% not delivered at the end",
                    commitsPerSecond, jvmMicros, serverMicros, 100 * undelivered);
        }
    }

    @Override
    public void run(Report report) throws Exception {
        Rounds.run("Warming up", ways, WARM_UP_ROUNDS, way -> measure(way, WARM_UP_WRITERS));
        Map<Traffic, List<Series>> rates = new LinkedHashMap<>();
        ways.forEach(way -> rates.put(way, new ArrayList<>()));
        for (int writers : WRITERS) {
            Map<Traffic, Results<Result>> results = Rounds.run(
                    "Live traffic of " + writers + " writers", ways, Settings.ROUNDS, way -> measure(way, writers));
            results.forEach((way, result) -> rates.get(way).add(result.of(Result::commitsPerSecond)));
        }
        report(report, rates);
        plot(rates);
    }

    private Result measure(Traffic way, int writers) throws Exception {
        database.reset();
        database.settle();
        Meter meter = new Meter(database);
        try (Session session = way.way().start(database)) {
            long committed = Writers.run(writers, Settings.SECONDS, 0, session::commit);
            Figures figures = meter.stop((int) committed);
            double delivered = way == Traffic.WITHOUT ? committed : session.delivered();
            return new Result(
                    figures.perSecond(), figures.jvmMicros(), figures.serverMicros(), 1 - delivered / committed);
        }
    }

    private void report(Report report, Map<Traffic, List<Series>> rates) {
        report.table(
                "Live traffic, PostgreSQL: a business row and an event per transaction, commits/s",
                WRITERS.stream()
                        .map(writers -> writers == 1 ? "1 writer" : writers + " writers")
                        .toArray(String[]::new));
        List<Series> limits = rates.get(ways.get(0));
        rates.forEach((way, series) -> {
            String[] cells = new String[series.size()];
            for (int i = 0; i < cells.length; i++) {
                String rate = Report.median(series.get(i), "%,.0f");
                cells[i] = way == ways.get(0) ? rate : rate + " (" + Report.ratio(series.get(i), limits.get(i)) + ")";
            }
            report.row(way.label(), cells);
        });
    }

    private static void plot(Map<Traffic, List<Series>> rates) throws Exception {
        Plot plot = new Plot(
                "Live traffic against the number of writers",
                "writers",
                "commits per second",
                WRITERS.stream().map(String::valueOf).toList());
        rates.forEach((way, series) ->
                plot.line(way.label(), series.stream().map(Series::median).toList()));
        plot.write("traffic-against-writers.svg");
    }
}
