package io.outbox.benchmarks;

import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures the outbox on real servers beside hand-written loops and beside the same traffic without an outbox, in one
 * run, and prints tables. Ratios are what counts: absolute figures depend on the machine and its mood.
 *
 * <p>Arguments name the parts to run; without any, all are run. {@link Settings} has the system properties.
 */
public final class Benchmark {

    private static final Map<String, PartOfDatabase> PARTS = new LinkedHashMap<>();

    static {
        PARTS.put("drain", database -> new DrainPart(database, Drain.chosen()));
        PARTS.put("cold", database -> new ColdPart(database, Drain.chosen()));
        PARTS.put("finished", database -> new FinishedPart(database, List.of(Drain.LOOP, Drain.SINGLE, Drain.SEVERAL)));
        PARTS.put("traffic", database -> new TrafficPart(database, Traffic.ALL));
        PARTS.put("latency", LatencyPart::new);
        PARTS.put("idle", IdlePart::new);
        PARTS.put("deletion", DeletionPart::new);
        PARTS.put("nodes", NodesPart::new);
        PARTS.put("backlog", BacklogPart::new);
        PARTS.put("keyed", ignored -> new KeyedPart());
        PARTS.put("snapshot", ignored -> new SnapshotPart());
        PARTS.put("wakeup", WakeUpPart::new);
        PARTS.put("writeall", ignored -> new WriteAllPart());
        PARTS.put("mysql", other(MySqlServer::start));
        PARTS.put("mariadb", other(MariaDbServer::start));
        PARTS.put("h2", ignored -> report -> drain("jdbc:h2:mem:benchmark;DB_CLOSE_DELAY=-1", report));
        PARTS.put("inbox", InboxPart::new);
        PARTS.put("admin", ignored -> new AdminPart());
        PARTS.put("redis", ignored -> new RedisPart());
        PARTS.put("kafka", database -> report -> {
            try (KafkaTarget kafka = KafkaTarget.start()) {
                toBroker(database, kafka, Settings.KAFKA_EVENTS, report);
            }
            try (KafkaTarget kafka = KafkaTarget.startAt(DistancePart.DISTANCE)) {
                overDistance(database, kafka, report);
            }
        });
        PARTS.put("rabbit", database -> report -> {
            try (RabbitTarget rabbit = RabbitTarget.start()) {
                toBroker(database, rabbit, Settings.RABBIT_EVENTS, report);
            }
            try (RabbitTarget rabbit = RabbitTarget.startAt(DistancePart.DISTANCE)) {
                overDistance(database, rabbit, report);
            }
        });
    }

    private Benchmark() {}

    /** A part that is measured on a database. */
    @FunctionalInterface
    private interface PartOfDatabase {
        Part on(Database database);
    }

    public static void main(String[] args) throws Exception {
        List<String> names = args.length == 0 ? List.copyOf(PARTS.keySet()) : List.of(args);
        List<String> unknown = new ArrayList<>(names);
        unknown.removeAll(PARTS.keySet());
        if (!unknown.isEmpty()) {
            System.err.println("No such part: " + unknown + "; there are " + PARTS.keySet());
            System.exit(2);
        }
        Report report = new Report();
        try (PostgresServer server = PostgresServer.start()) {
            for (String name : names) {
                // each with a database of its own, so that none has what another left behind
                try (Database database = Database.create(server.newDatabase() + Settings.CONNECTION)) {
                    PARTS.get(name).on(database).run(report);
                }
            }
        } finally {
            report.print();
        }
    }

    /** Drains a backlog of another server. */
    private static PartOfDatabase other(Supplier<? extends DatabaseServer> start) {
        return ignored -> report -> {
            try (DatabaseServer server = start.get()) {
                drain(server.newDatabase(), report);
            }
        };
    }

    private static void drain(String url, Report report) throws Exception {
        try (Database database = Database.create(url)) {
            new DrainPart(database, Drain.chosen()).run(report);
        }
    }

    private static void toBroker(Database database, BrokerTarget target, int events, Report report) throws Exception {
        new BrokerPart(new BrokerBenchmark(database, target, events)).run(report);
    }

    private static void overDistance(Database database, BrokerTarget target, Report report) throws Exception {
        new DistancePart(new BrokerBenchmark(database, target, Settings.DISTANT_EVENTS, DistancePart.BATCH))
                .run(report);
    }
}
