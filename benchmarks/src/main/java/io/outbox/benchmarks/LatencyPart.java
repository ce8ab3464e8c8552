package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.benchmarks.Traffic.WithOutbox;
import io.outbox.spi.Lease;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** How long it takes from a commit to the listener, at a steady rate. */
final class LatencyPart implements Part {

    private static final int PER_SECOND = 500;
    private static final int WRITERS = 4;

    private final Database database;

    LatencyPart(Database database) {
        this.database = database;
    }

    private record Mode(String label, Supplier<Outbox.AbstractBuilder<?>> builder) {
        @Override
        public String toString() {
            return label;
        }
    }

    /** Milliseconds. */
    record Latencies(double p50, double p99, double max) {

        static Latencies of(long[] nanos) {
            Arrays.sort(nanos);
            return new Latencies(percentile(nanos, 0.50), percentile(nanos, 0.99), percentile(nanos, 1));
        }

        private static double percentile(long[] sorted, double share) {
            int index = (int) Math.min(sorted.length - 1, sorted.length * share);
            return sorted.length == 0 ? Double.NaN : sorted[index] / 1e6;
        }
    }

    @Override
    public void run(Report report) throws Exception {
        List<Mode> modes = List.of(
                new Mode("outbox, single node", Outbox::singleNode),
                new Mode("outbox, several nodes", () -> Outbox.multiNode().claimLocking(Lease.DEFAULT_DURATION)));
        Rounds.run("Warming up", modes, 1, this::measure);
        Map<Mode, Results<Latencies>> results = Rounds.run("Commit to listener", modes, Settings.ROUNDS, this::measure);
        report.table(
                "From commit to listener at " + PER_SECOND + " transactions per second, PostgreSQL, ms",
                "p50",
                "p99",
                "max");
        results.forEach((mode, latencies) -> report.row(
                mode.label,
                Report.median(latencies.of(Latencies::p50), "%.3f"),
                Report.median(latencies.of(Latencies::p99), "%.2f"),
                Report.median(latencies.of(Latencies::max), "%.1f")));
    }

    private Latencies measure(Mode mode) throws Exception {
        database.reset();
        database.settle();
        Map<String, Long> committedAt = new ConcurrentHashMap<>();
        ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
        Outbox.AbstractBuilder<?> builder =
                mode.builder.get().backend(database.jdbc().backend());
        try (WithOutbox session = new WithOutbox(database, builder, event -> {
            long now = System.nanoTime();
            Long since = committedAt.remove(event.eventId());
            latencies.add(now - since);
            return DispatchResult.done();
        })) {
            Writers.run(WRITERS, Settings.SECONDS, PER_SECOND, () -> {
                EventEnvelope event = EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD);
                session.commit(event, () -> committedAt.put(event.eventId(), System.nanoTime()));
            });
        }
        return Latencies.of(latencies.stream().mapToLong(Long::longValue).toArray());
    }
}
