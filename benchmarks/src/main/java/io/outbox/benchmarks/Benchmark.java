package io.outbox.benchmarks;

import static io.outbox.benchmarks.Report.ratio;

import io.outbox.testservers.PostgresServer;
import java.util.List;
import java.util.Set;

/**
 * Measures the outbox on a real PostgreSQL, Kafka and RabbitMQ beside hand-written loops and beside the same traffic
 * without an outbox, in one run, and prints one table. Ratios are what counts: absolute figures depend on the machine and
 * its mood.
 *
 * <p>System properties: {@code bench.only} (of {@code drain,traffic,kafka,rabbit}, default all), {@code bench.rounds}
 * (default 3), {@code bench.events} (backlog size, default 50000), {@code bench.seconds} (length of a traffic round,
 * default 8), {@code bench.kafka.events} (default 100000), {@code bench.rabbit.events} (default 20000),
 * {@code bench.concurrency} (calls of a broker's publisher at the same time, default 1).
 */
public final class Benchmark {

    private static final List<String> PARTS = List.of("drain", "traffic", "kafka", "rabbit");
    private static final int EVENTS = Integer.getInteger("bench.events", 50_000);
    private static final int KAFKA_EVENTS = Integer.getInteger("bench.kafka.events", 100_000);
    private static final int RABBIT_EVENTS = Integer.getInteger("bench.rabbit.events", 20_000);
    private static final int CONCURRENCY = Integer.getInteger("bench.concurrency", 1);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int SECONDS = Integer.getInteger("bench.seconds", 8);
    private static final int FINISHED = 1_000_000;

    private Benchmark() {}

    public static void main(String[] args) throws Exception {
        Set<String> parts = parts();
        Report report = new Report();
        System.out.println("Starting PostgreSQL …");
        try (PostgresServer server = PostgresServer.start();
                Database database = new Database(server.newDatabase())) {
            if (parts.contains("drain")) {
                drain(database, report);
            }
            if (parts.contains("traffic")) {
                traffic(database, report);
            }
            if (parts.contains("kafka")) {
                System.out.println("Starting Kafka …");
                try (KafkaTarget kafka = KafkaTarget.start()) {
                    broker(new BrokerBenchmark(database, kafka, KAFKA_EVENTS, CONCURRENCY), report);
                }
            }
            if (parts.contains("rabbit")) {
                System.out.println("Starting RabbitMQ …");
                try (RabbitTarget rabbit = RabbitTarget.start()) {
                    broker(new BrokerBenchmark(database, rabbit, RABBIT_EVENTS, CONCURRENCY), report);
                }
            }
        } finally {
            report.print();
        }
    }

    private static Set<String> parts() {
        Set<String> parts =
                Set.of(System.getProperty("bench.only", String.join(",", PARTS)).split(","));
        if (!PARTS.containsAll(parts)) {
            throw new IllegalArgumentException("bench.only has parts other than " + PARTS + ": " + parts);
        }
        return parts;
    }

    private static void drain(Database database, Report report) throws Exception {
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
        report.title("Backlog drain, %,d events of 300 bytes, PostgreSQL, one node", EVENTS);
        report.row("hand-written loop (the practical limit)", limit, "events/s", "");
        report.row("outbox", ours, "events/s", ratio(ours, limit) + " of the limit (target 60 %)");
        report.row("hand-written loop, 1,000,000 finished rows", fullLimit, "events/s", "");
        report.row(
                "outbox, 1,000,000 finished rows",
                full,
                "events/s",
                ratio(full, ours) + " of the empty table (target 90 %)");
    }

    private static void traffic(Database database, Report report) throws Exception {
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
        report.title("Live traffic, 4 threads, one business row and one event per transaction");
        report.row("without an outbox", without, "commits/s", "");
        report.row("with the outbox", with, "commits/s", ratio(with, without) + " of it (target 65 %)");
        report.row("delivered meanwhile", delivered, "events/s", ratio(delivered, with) + " of the committed");
        report.line(
                "  commit to listener at half rate: p50 %.2f ms (target 0.5), p99 %.2f ms (target 5), max %.1f ms",
                latency.p50Ms(), latency.p99Ms(), latency.maxMs());
    }

    private static void broker(BrokerBenchmark benchmark, Report report) throws Exception {
        benchmark.warmUp();
        Series bare = new Series();
        Series noOp = new Series();
        Series ours = new Series();
        for (int round = 1; round <= ROUNDS; round++) {
            System.out.printf("Drain to %s, round %d of %d …%n", benchmark.broker(), round, ROUNDS);
            bare.add(benchmark.bare());
            noOp.add(benchmark.noOp());
            ours.add(benchmark.outbox());
        }
        boolean brokerIsSlower = bare.median() < noOp.median();
        report.title(
                "Drain to %s, %,d events of 300 bytes, PostgreSQL, one node", benchmark.broker(), benchmark.events());
        report.row(benchmark.bareLoop(), bare, "events/s", "");
        report.row("outbox, to a listener that does nothing", noOp, "events/s", "");
        report.row(
                "outbox, to " + benchmark.broker(),
                ours,
                "events/s",
                ratio(ours, brokerIsSlower ? bare : noOp) + " of the slower one (target 60 %)");
    }
}
