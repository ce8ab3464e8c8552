package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.spi.WakeUp;
import io.outbox.testservers.MySqlServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * How soon a process delivers what another one writes, with hints and without, and what hints cost the writers. Times
 * are from the event to the listener, so the commit is in them; a first event has been found before.
 */
final class WakeUpPart implements Part {

    private static final int PER_SECOND = 50;
    private static final int WRITERS = 4;
    private static final int CONNECT_SECONDS = 10;

    private final Database postgres;

    WakeUpPart(Database postgres) {
        this.postgres = postgres;
    }

    /**
     * A way to hear of events.
     *
     * @param sent whether the process that writes sends hints
     * @param heard whether the process that delivers hears them
     * @param perSecond how many are written, or 0 for as many as can be
     */
    private record Way(String label, Database database, boolean sent, boolean heard, int perSecond) {
        @Override
        public String toString() {
            return label;
        }
    }

    private record Found(double commitsPerSecond, double p50, double p99) {}

    @Override
    public void run(Report report) throws Exception {
        try (MySqlServer server = MySqlServer.start();
                Database mysql = Database.create(server.newDatabase())) {
            table(
                    report,
                    "One event after the other, " + PER_SECOND + " a second",
                    List.of(
                            new Way("PostgreSQL, hints", postgres, true, true, PER_SECOND),
                            new Way("PostgreSQL, polls that adapt", postgres, false, false, PER_SECOND),
                            new Way("MySQL, polls that adapt", mysql, false, false, PER_SECOND)));
            table(
                    report,
                    "As many as " + WRITERS + " writers can commit",
                    List.of(
                            new Way("PostgreSQL, hints", postgres, true, true, 0),
                            new Way("PostgreSQL, hints that nobody hears, polls that adapt", postgres, true, false, 0),
                            new Way("PostgreSQL, polls that adapt", postgres, false, false, 0)));
            idle(report, mysql);
        }
    }

    /** What a node costs that has nothing to deliver. */
    private void idle(Report report, Database mysql) throws Exception {
        report.table(
                "A node without events, which polls every 5 s",
                "transactions (MySQL: statements) a second in the database");
        for (Way way : List.of(
                new Way("PostgreSQL, hints", postgres, true, true, 0),
                new Way("PostgreSQL, polls that adapt", postgres, false, false, 0),
                new Way("MySQL, polls that adapt", mysql, false, false, 0))) {
            report.row(way.label, String.format(Locale.ROOT, "%.2f", idleRequests(way)));
        }
    }

    @SuppressWarnings("try") // the outbox polls while it is open
    private static double idleRequests(Way way) throws Exception {
        way.database.reset();
        try (Outbox outbox = deliverer(way.database, wakeUp(way.database, way.heard), new ConcurrentLinkedQueue<>())) {
            TimeUnit.SECONDS.sleep(CONNECT_SECONDS);
            long before = requests(way.database);
            TimeUnit.SECONDS.sleep(Settings.IDLE_SECONDS);
            return (requests(way.database) - before) / (double) Settings.IDLE_SECONDS;
        }
    }

    private static long requests(Database database) throws Exception {
        return database.dialect().name().equals("PostgreSQL") ? database.transactions() : database.questions();
    }

    private static void table(Report report, String what, List<Way> ways) throws Exception {
        Rounds.run("Warming up", ways, 1, WakeUpPart::measure);
        Map<Way, Results<Found>> results = Rounds.run(what, ways, Settings.ROUNDS, WakeUpPart::measure);
        report.table(
                what + ", written by one process and delivered by another; from the event to the listener, ms",
                "commits/s",
                "p50",
                "p99");
        results.forEach((way, found) -> report.row(
                way.label,
                Report.median(found.of(Found::commitsPerSecond), "%,.0f"),
                Report.median(found.of(Found::p50), "%.1f"),
                Report.median(found.of(Found::p99), "%.1f")));
    }

    @SuppressWarnings("try") // the outbox delivers while it is open
    private static Found measure(Way way) throws Exception {
        way.database.reset();
        way.database.settle();
        ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
        WakeUp wakeUp = wakeUp(way.database, way.heard);
        try (Outbox outbox = deliverer(way.database, wakeUp, latencies);
                Child writer = Child.start(
                        List.of("-Xmx256m"),
                        Writing.class,
                        way.database.url(),
                        Boolean.toString(way.sent),
                        Integer.toString(way.perSecond))) {
            for (int i = 0; i < CONNECT_SECONDS * 100 && way.heard && !wakeUp.isConnected(); i++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            writer.answer();
            awaitDeliveries(latencies, 1);
            latencies.clear();
            writer.goOn();
            long committed = Long.parseLong(writer.answer());
            awaitDeliveries(latencies, committed);
            long[] sorted = latencies.stream().mapToLong(Long::longValue).toArray();
            Arrays.sort(sorted);
            return new Found(
                    committed / (double) Settings.SECONDS,
                    sorted[sorted.length / 2] / 1e6,
                    sorted[sorted.length * 99 / 100] / 1e6);
        }
    }

    private static void awaitDeliveries(ConcurrentLinkedQueue<Long> latencies, long count) throws InterruptedException {
        while (latencies.size() < count) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static WakeUp wakeUp(Database database, boolean hints) {
        return hints ? database.jdbc().wakeUp() : WakeUp.NONE;
    }

    private static Outbox deliverer(Database database, WakeUp wakeUp, ConcurrentLinkedQueue<Long> latencies) {
        return Outbox.multiNode()
                .claimLocking(Lease.DEFAULT_DURATION)
                .backend(database.jdbc().backend())
                .wakeUp(wakeUp)
                .listenerRegistry(new DefaultListenerRegistry().register("Benchmarked", event -> {
                    latencies.add(
                            Duration.between(event.occurredAt(), Instant.now()).toNanos());
                    return DispatchResult.done();
                }))
                .build();
    }

    /** The process that writes: for the time of a round when it is told to, and says how often it has committed. */
    static final class Writing {

        private Writing() {}

        public static void main(String[] args) throws Exception {
            try (Database database = Database.existing(args[0]);
                    Outbox outbox = Outbox.writerOnly()
                            .backend(database.jdbc().writerOnlyBackend())
                            .wakeUp(wakeUp(database, Boolean.parseBoolean(args[1])))
                            .build()) {
                Writers.Commit commit = () -> {
                    try (Transaction tx = database.jdbc().begin()) {
                        outbox.writer().write(EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD));
                        tx.commit();
                    }
                };
                commit.run();
                Child.tell("written once");
                if (Child.awaitStep()) {
                    Child.tell(
                            Long.toString(Writers.run(WRITERS, Settings.SECONDS, Integer.parseInt(args[2]), commit)));
                }
            }
        }
    }
}
