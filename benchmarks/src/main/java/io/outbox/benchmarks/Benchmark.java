package io.outbox.benchmarks;

import io.outbox.testservers.PostgresServer;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the outbox on a real PostgreSQL beside a hand-written loop and beside the same traffic without an outbox, in
 * one run, and prints one table. Ratios are what counts: absolute figures depend on the machine and its mood.
 *
 * <p>System properties: {@code bench.events} (backlog size, default 50000), {@code bench.rounds} (default 3),
 * {@code bench.seconds} (length of a traffic round, default 8).
 */
public final class Benchmark {

    private static final int EVENTS = Integer.getInteger("bench.events", 50_000);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int SECONDS = Integer.getInteger("bench.seconds", 8);
    private static final int FINISHED = 1_000_000;

    private Benchmark() {}

    public static void main(String[] args) throws Exception {
        System.out.println("Starting PostgreSQL …");
        try (PostgresServer server = PostgresServer.start();
                Database database = new Database(server.newDatabase())) {
            List<String> table = new ArrayList<>();
            drain(database, table);
            traffic(database, table);
            System.out.println();
            table.forEach(System.out::println);
        }
    }

    private static void drain(Database database, List<String> table) throws Exception {
        DrainBenchmark drain = new DrainBenchmark(database, EVENTS);
        drain.warmUp();
        Series limit = new Series();
        Series ours = new Series();
        for (int round = 1; round <= ROUNDS; round++) {
            System.out.printf("Backlog drain, round %d of %d …%n", round, ROUNDS);
            limit.add(drain.handWritten());
            ours.add(drain.outbox());
        }
        System.out.printf("Writing %,d finished events …%n", FINISHED);
        database.reset();
        database.insertFinished(FINISHED);
        Series full = new Series();
        Series fullLimit = new Series();
        for (int round = 1; round <= ROUNDS; round++) {
            System.out.printf("Backlog drain behind them, round %d of %d …%n", round, ROUNDS);
            fullLimit.add(drain.handWrittenOnTop());
            full.add(drain.outboxOnTop());
        }
        table.add(String.format("Backlog drain, %,d events of 300 bytes, PostgreSQL, one node", EVENTS));
        table.add(row("  hand-written loop (the practical limit)", limit, "events/s", ""));
        table.add(row("  outbox", ours, "events/s", ratio(ours, limit) + " of the limit (target 60 %)"));
        table.add(row("  hand-written loop, 1,000,000 finished rows", fullLimit, "events/s", ""));
        table.add(row(
                "  outbox, 1,000,000 finished rows",
                full,
                "events/s",
                ratio(full, ours) + " of the empty table (target 90 %)"));
    }

    private static void traffic(Database database, List<String> table) throws Exception {
        TrafficBenchmark traffic = new TrafficBenchmark(database, SECONDS);
        traffic.warmUp();
        Series without = new Series();
        Series with = new Series();
        Series delivered = new Series();
        for (int round = 1; round <= ROUNDS; round++) {
            System.out.printf("Live traffic, round %d of %d …%n", round, ROUNDS);
            without.add(traffic.withoutOutbox());
            TrafficBenchmark.Result result = traffic.withOutbox(0);
            with.add(result.committedPerSecond());
            delivered.add(result.deliveredPerSecond());
        }
        System.out.println("Latency at half of the maximum rate …");
        TrafficBenchmark.Result latency = traffic.withOutbox((int) (with.median() / 2));
        table.add("");
        table.add("Live traffic, 4 threads, one business row and one event per transaction");
        table.add(row("  without an outbox", without, "commits/s", ""));
        table.add(row("  with the outbox", with, "commits/s", ratio(with, without) + " of it (target 65 %)"));
        table.add(row("  delivered meanwhile", delivered, "events/s", ratio(delivered, with) + " of the committed"));
        table.add(String.format(
                "  commit to listener at half rate: p50 %.2f ms (target 0.5), p99 %.2f ms (target 5), max %.1f ms",
                latency.p50Ms(), latency.p99Ms(), latency.maxMs()));
    }

    private static String row(String name, Series series, String unit, String note) {
        return String.format(
                "%-48s %,9.0f %-9s [%,.0f … %,.0f]  %s", name, series.median(), unit, series.min(), series.max(), note);
    }

    private static String ratio(Series part, Series whole) {
        return String.format("%.0f %%", 100 * part.median() / whole.median());
    }
}
