package io.outbox.benchmarks;

import io.outbox.testservers.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How fast events are appended to Redis and drained from it, beside pipelined commands by hand, and what one costs in
 * memory.
 */
final class RedisPart implements Part {

    private static final int LATENCIES = 300;

    /** A way to do one thing with all events; returns how many in a second. */
    private interface Way {
        double run() throws Exception;
    }

    private record Candidate(String label, Way way) {
        @Override
        public String toString() {
            return label;
        }
    }

    @Override
    public void run(Report report) throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisBenchmark benchmark = new RedisBenchmark(server, Settings.REDIS_EVENTS)) {
            int events = benchmark.events();
            compare(
                    "Append in batches of " + RedisBenchmark.WRITE_BATCH,
                    events,
                    report,
                    new Candidate(
                            "by hand, commands for a batch", () -> benchmark.appendByHand(benchmark.batchByBatch())),
                    new Candidate(
                            "by hand, commands for an event", () -> benchmark.appendByHand(benchmark.eventByEvent())),
                    new Candidate("outbox, OutboxWriter.writeAll", benchmark::append));
            RedisTransactionBenchmark single = benchmark.transactions(events / 10);
            compare(
                    "One command and one event in MULTI, one thread",
                    single.count(),
                    report,
                    new Candidate("by hand", single::transactionsByHand),
                    new Candidate("outbox, inTransaction", single::transactions));
            compare(
                    "One command and one event by script, one thread",
                    single.count(),
                    report,
                    new Candidate("by hand", single::scriptsByHand),
                    new Candidate("outbox, runScript", single::scripts));
            compare(
                    "Drain",
                    events,
                    report,
                    new Candidate(
                            "by hand, commands for a batch", () -> benchmark.drainByHand(benchmark.batchByBatch())),
                    new Candidate(
                            "by hand, commands for an event", () -> benchmark.drainByHand(benchmark.eventByEvent())),
                    new Candidate("outbox, multi-node, nothing kept", benchmark::drain));
            List<Double> millis = benchmark.wakeUpMillis(LATENCIES);
            report.text(String.format(
                    Locale.ROOT,
                    "From an append by an outbox that only writes to a listener elsewhere, one event every 20 ms: p50 %.1f ms,"
                            + " p90 %.1f ms, p99 %.1f ms.",
                    millis.get(LATENCIES / 2),
                    millis.get(LATENCIES * 9 / 10),
                    millis.get(LATENCIES * 99 / 100)));
            report.text(String.format(
                    Locale.ROOT,
                    "A pending event with a payload of %d bytes takes %.0f bytes of Redis' memory, a held one %.0f.",
                    RedisBenchmark.PAYLOAD_BYTES,
                    benchmark.bytesPerEvent(false),
                    benchmark.bytesPerEvent(true)));
        }
    }

    /** Compares ways to do the same; the first is what the others are measured by. */
    private static void compare(String what, int events, Report report, Candidate... candidates) throws Exception {
        for (Candidate candidate : candidates) {
            candidate.way.run();
        }
        Map<Candidate, Results<Double>> results =
                Rounds.run(what, List.of(candidates), Settings.ROUNDS, candidate -> candidate.way.run());
        Series limit = results.get(candidates[0]).of(Double::doubleValue);
        report.table(
                String.format(
                        "%s, Redis, %,d events with payloads of %d bytes", what, events, RedisBenchmark.PAYLOAD_BYTES),
                "events/s",
                "of it");
        results.forEach((candidate, result) -> {
            Series rate = result.of(Double::doubleValue);
            report.row(candidate.label, Report.spread(rate), Report.ratio(rate, limit));
        });
    }
}
