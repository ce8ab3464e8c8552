package io.outbox.benchmarks;

import io.outbox.benchmarks.InboxBenchmark.Way;
import java.util.List;
import java.util.Map;

/** How fast messages are consumed once, one by one and in batches, beside marks that are inserted by hand. */
final class InboxPart implements Part {

    private static final int TIMES_IN_BATCHES = 10;

    private final Database database;

    InboxPart(Database database) {
        this.database = database;
    }

    private record Candidate(String label, Way way) {
        @Override
        public String toString() {
            return label;
        }
    }

    @Override
    public void run(Report report) throws Exception {
        compare(
                "Single messages",
                new InboxBenchmark(database, Settings.INBOX_EVENTS),
                new Candidate("INSERT … ON CONFLICT DO NOTHING by hand", InboxBenchmark::handWrittenPair),
                new Candidate("inbox", InboxBenchmark::consumePair),
                report);
        compare(
                "Batches of " + InboxBenchmark.BATCH,
                new InboxBenchmark(database, Settings.INBOX_EVENTS * TIMES_IN_BATCHES),
                new Candidate("INSERT … ON CONFLICT DO NOTHING by hand", InboxBenchmark::handWrittenBatches),
                new Candidate("inbox", InboxBenchmark::consumeBatches),
                report);
    }

    private static void compare(String what, InboxBenchmark benchmark, Candidate byHand, Candidate inbox, Report report)
            throws Exception {
        benchmark.perSecond(byHand.way);
        benchmark.perSecond(inbox.way);
        Map<Candidate, Results<Double>> results = Rounds.run(
                what + " to the inbox",
                List.of(byHand, inbox),
                Settings.ROUNDS,
                candidate -> benchmark.perSecond(candidate.way));
        Series limit = results.get(byHand).of(Double::doubleValue);
        report.table(
                String.format(
                        "%s consumed once, %,d messages, every tenth repeated, PostgreSQL, one thread",
                        what, benchmark.messages()),
                "messages/s",
                "of it");
        results.forEach((candidate, result) -> {
            Series rate = result.of(Double::doubleValue);
            report.row(candidate.label, Report.spread(rate), Report.ratio(rate, limit));
        });
    }
}
