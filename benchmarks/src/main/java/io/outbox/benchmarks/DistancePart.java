package io.outbox.benchmarks;

import io.outbox.benchmarks.Rounds.Measurement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How fast a backlog of one type gets to a broker that is far away, with one worker, beside the broker's client alone.
 */
final class DistancePart implements Part {

    /** The time that data take in each direction. */
    static final Duration DISTANCE = Duration.ofMillis(20);

    /** As many events at a time as the settings of the starter have by default. */
    static final int BATCH = 50;

    private final BrokerBenchmark benchmark;

    DistancePart(BrokerBenchmark benchmark) {
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
        Candidate ours = new Candidate("outbox, one worker", measured -> measured.outbox(1));
        Candidate waiting = new Candidate("outbox, one worker, batch by batch", BrokerBenchmark::batchByBatch);
        benchmark.warmUp();
        Map<Candidate, Results<Figures>> results = Rounds.run(
                "Drain to a distant " + benchmark.broker(),
                List.of(bare, ours),
                Settings.ROUNDS,
                candidate -> candidate.measurement.measure(benchmark));
        // once is enough: the distance alone decides, and it takes longer than all the others
        results.putAll(Rounds.run(
                "Batch by batch to a distant " + benchmark.broker(),
                List.of(waiting),
                1,
                candidate -> candidate.measurement.measure(benchmark)));
        Series bareRate = results.get(bare).of(Figures::perSecond);
        report.table(
                String.format(
                        "Backlog of %,d events of 300 bytes to %s, %d ms away in each direction, batches of %d",
                        benchmark.events(), benchmark.broker(), DISTANCE.toMillis(), BATCH),
                "events/s",
                "of the bare client");
        results.forEach((candidate, result) -> {
            Series rate = result.of(Figures::perSecond);
            report.row(candidate.label, Report.spread(rate), candidate == bare ? "" : Report.ratio(rate, bareRate));
        });
    }
}
