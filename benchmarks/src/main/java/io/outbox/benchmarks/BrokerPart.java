package io.outbox.benchmarks;

import io.outbox.benchmarks.Rounds.Measurement;
import java.util.List;
import java.util.Map;

/** How fast a backlog gets to a broker, beside the broker's client alone and the outbox alone. */
final class BrokerPart implements Part {

    private final BrokerBenchmark benchmark;

    BrokerPart(BrokerBenchmark benchmark) {
        this.benchmark = benchmark;
    }

    private record Candidate(String label, Measurement<BrokerBenchmark, Figures> measurement) {
        @Override
        public String toString() {
            return label;
        }
    }

    @Override
    public void run(Report report) throws Exception {
        Candidate bare = new Candidate(benchmark.bareLoop(), BrokerBenchmark::bare);
        Candidate noOp = new Candidate("outbox, to a listener that does nothing", BrokerBenchmark::noOp);
        Candidate one = ours("one worker", 1);
        Candidate strays = new Candidate(
                "outbox, one worker, " + BrokerBenchmark.STRAYS + " events that name missing targets",
                BrokerBenchmark::withStrays);
        List<Candidate> ours = List.of(one, ours("two workers", 2), strays);
        benchmark.warmUp();
        Map<Candidate, Results<Figures>> results = Rounds.run(
                "Drain to " + benchmark.broker(),
                List.of(bare, noOp, one, ours.get(1), strays),
                Settings.ROUNDS,
                candidate -> candidate.measurement.measure(benchmark));
        Series bareRate = results.get(bare).of(Figures::perSecond);
        Series noOpRate = results.get(noOp).of(Figures::perSecond);
        Series slower = bareRate.median() < noOpRate.median() ? bareRate : noOpRate;
        report.table(
                String.format(
                        "Backlog of %,d events of 300 bytes to %s, PostgreSQL, one node",
                        benchmark.events(), benchmark.broker()),
                "events/s",
                "of the slower one",
                "of one worker",
                "JVM µs/event",
                "servers µs/event");
        results.forEach((candidate, result) -> {
            Series rate = result.of(Figures::perSecond);
            report.row(
                    candidate.label,
                    Report.spread(rate),
                    ours.contains(candidate) ? Report.ratio(rate, slower) : "",
                    candidate == strays ? Report.ratio(rate, results.get(one).of(Figures::perSecond)) : "",
                    String.format("%.1f", result.of(Figures::jvmMicros).median()),
                    String.format("%.1f", result.of(Figures::serverMicros).median()));
        });
    }

    private Candidate ours(String label, int workers) {
        return new Candidate("outbox, to " + benchmark.broker() + ", " + label, measured -> measured.outbox(workers));
    }
}
