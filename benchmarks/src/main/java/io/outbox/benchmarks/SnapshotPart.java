package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.testservers.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * How a snapshot that somebody holds open tells on events that one process writes and another delivers, minute by
 * minute: the database must keep every row version and index entry since then.
 */
final class SnapshotPart implements Part {

    private static final int WRITERS = 4;
    private static final int POLL_MS = 50;
    private static final int CATCH_UP_SECONDS = 120;
    /** From when on an event is behind. */
    private static final Duration BEHIND = Duration.ofSeconds(1);

    /** What became of one minute. */
    private record Minute(double perSecond, double p50, double p99, double serverMicros) {

        static Minute of(List<Long> nanos, double seconds, double serverMicros) {
            long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
            int count = sorted.length;
            if (count == 0) {
                return new Minute(0, Double.NaN, Double.NaN, Double.NaN);
            }
            return new Minute(
                    count / seconds, sorted[count / 2] / 1e6, sorted[count * 99 / 100] / 1e6, serverMicros / count);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%,.0f events/s, p50 %.1f ms, p99 %.1f ms, %.0f µs of the database per event",
                    perSecond,
                    p50,
                    p99,
                    serverMicros);
        }

        String[] cells() {
            return new String[] {
                cell("%,.0f", perSecond), cell("%.1f", p50), cell("%.1f", p99), cell("%.0f", serverMicros)
            };
        }

        private static String cell(String format, double value) {
            return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, format, value);
        }
    }

    @Override
    public void run(Report report) throws Exception {
        List<Minute> without = new ArrayList<>();
        List<Minute> with = new ArrayList<>();
        double catchUpSeconds;
        try (PostgresServer server = PostgresServer.start()) {
            try (Database database = Database.create(server.newDatabase())) {
                System.out.println("Without a snapshot …");
                try (Run run = new Run(database)) {
                    run.minutes(Settings.MINUTES_WITHOUT_SNAPSHOT, without);
                }
            }
            try (Database database = Database.create(server.newDatabase())) {
                System.out.println("While a snapshot is open …");
                catchUpSeconds = measureBesideSnapshot(database, with);
            }
        }
        report.table(
                String.format(
                        "%,d events/s written by one process and delivered by another, PostgreSQL; from the event to the"
                                + " listener, ms",
                        Settings.SNAPSHOT_RATE),
                "events/s",
                "p50",
                "p99",
                "database µs/event");
        rows(report, "without a snapshot", without);
        rows(report, "while a snapshot is open", with);
        report.text(
                Double.isNaN(catchUpSeconds)
                        ? "After the end of the snapshot, delivery was still behind " + CATCH_UP_SECONDS + " s later."
                        : String.format(
                                Locale.ROOT,
                                "After the end of the snapshot, events came within %d s again after %.0f s.",
                                BEHIND.toSeconds(),
                                catchUpSeconds));
    }

    private static void rows(Report report, String label, List<Minute> minutes) {
        for (int i = 0; i < minutes.size(); i++) {
            report.row(label + ", minute " + (i + 1), minutes.get(i).cells());
        }
    }

    /** Returns how long it took after the end of the snapshot until no event was behind; NaN if too long. */
    private static double measureBesideSnapshot(Database database, List<Minute> minutes) throws Exception {
        try (Run run = new Run(database)) {
            try (Connection snapshot = database.connection();
                    Statement statement = snapshot.createStatement()) {
                snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                snapshot.setAutoCommit(false);
                statement.execute("SELECT count(*) FROM outbox_event");
                run.minutes(Settings.SNAPSHOT_MINUTES, minutes);
                snapshot.rollback();
            }
            return run.catchUpSeconds();
        }
    }

    /** A process that writes, and this one, which delivers. */
    private static final class Run implements AutoCloseable {

        private final ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
        private final Outbox outbox;
        private final Child writer;

        Run(Database database) throws Exception {
            DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("Benchmarked", event -> {
                latencies.add(
                        Duration.between(event.occurredAt(), Instant.now()).toNanos());
                return DispatchResult.done();
            });
            this.outbox = Outbox.multiNode()
                    .claimLocking(Lease.DEFAULT_DURATION)
                    .backend(database.jdbc().backend())
                    .listenerRegistry(listeners)
                    .intervalMs(POLL_MS)
                    .build();
            this.writer = Child.start(
                    List.of("-Xmx256m"), Writing.class, database.url(), Integer.toString(Settings.SNAPSHOT_RATE));
            writer.answer();
        }

        void minutes(int count, List<Minute> minutes) throws Exception {
            for (int i = 0; i < count; i++) {
                latencies.clear();
                long serverNanos = ServerTime.nanos();
                long start = System.nanoTime();
                TimeUnit.SECONDS.sleep(Settings.SNAPSHOT_MINUTE_SECONDS);
                double seconds = (System.nanoTime() - start) / 1e9;
                Minute minute = Minute.of(List.copyOf(latencies), seconds, (ServerTime.nanos() - serverNanos) / 1e3);
                System.out.printf("  minute %d: %s%n", i + 1, minute);
                minutes.add(minute);
            }
        }

        /** Waits for a second in which nearly all events came in time. */
        double catchUpSeconds() throws InterruptedException {
            for (int second = 0; second < CATCH_UP_SECONDS; second++) {
                latencies.clear();
                TimeUnit.SECONDS.sleep(1);
                Minute now = Minute.of(List.copyOf(latencies), 1, 0);
                if (now.p99 < BEHIND.toMillis()) {
                    return second;
                }
            }
            return Double.NaN;
        }

        @Override
        public void close() {
            writer.close();
            outbox.close();
        }
    }

    /** The process that writes, until its standard input ends. */
    static final class Writing {

        private Writing() {}

        public static void main(String[] args) throws Exception {
            try (Database database = Database.existing(args[0]);
                    Outbox outbox = Outbox.writerOnly()
                            .backend(database.jdbc().writerOnlyBackend())
                            .build()) {
                Thread ending = new Thread(Writing::endWithParent, "ending");
                ending.setDaemon(true);
                ending.start();
                Child.tell("ready");
                Writers.run(WRITERS, Integer.MAX_VALUE, Integer.parseInt(args[1]), () -> {
                    try (Transaction tx = database.jdbc().begin()) {
                        outbox.writer().write(EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD));
                        tx.commit();
                    }
                });
            }
        }

        private static void endWithParent() {
            try {
                while (Child.awaitStep()) {
                    // nothing is to be done in steps here
                }
            } catch (IOException gone) {
                // as good as its end
            }
            Runtime.getRuntime().halt(0);
        }
    }
}
