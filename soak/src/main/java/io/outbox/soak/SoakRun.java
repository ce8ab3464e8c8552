package io.outbox.soak;

import io.outbox.soak.cluster.Cluster;
import io.outbox.soak.cluster.Cluster.Manner;
import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.PlannedFault;
import io.outbox.soak.judge.Evidence;
import io.outbox.soak.judge.Judge;
import io.outbox.soak.judge.Report;
import io.outbox.soak.judge.Verdict;
import io.outbox.soak.ledger.History;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One run on one database: nodes write and deliver while faults happen to them, then everything is drained and closed,
 * and the judge compares what is left.
 */
public final class SoakRun {

    /** How long a node's locks last. Long enough that a busy machine alone never loses one. */
    public static final Duration LEASE = Duration.ofSeconds(4);

    /** How many nodes run at a time. */
    public static final int NODES = 3;

    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(60);
    private static final int DRAIN_POLL_MS = 100;
    private static final int FINDINGS_PRINTED = 10;

    private final Database database;
    private final long seed;
    private final Path directory;
    private final PrintStream out;
    private Duration skew = Duration.ZERO;
    private boolean inOrder;

    /**
     * A run that is yet to start.
     *
     * @param directory where ledgers, outputs of nodes and the report go
     * @param out gets a line for each fault, and the report
     */
    public SoakRun(Database database, long seed, Path directory, PrintStream out) {
        this.database = database;
        this.seed = seed;
        this.directory = directory;
        this.out = out;
    }

    /** Sets by how much the clocks of nodes differ, from one to the next. */
    public SoakRun skew(Duration difference) {
        this.skew = difference;
        return this;
    }

    /** Gives events keys, and has them delivered in their order. */
    public SoakRun inOrder() {
        this.inOrder = true;
        return this;
    }

    /** Runs with these faults and returns what the judge says. */
    public Verdict run(List<PlannedFault> faults) throws Exception {
        empty(directory);
        out.printf("%s, seed %d, lease %d s, %d nodes%n", title(), seed, LEASE.toSeconds(), NODES);
        boolean publishes = faults.stream().anyMatch(fault -> fault.kind().hitsBroker());
        try (Store store = database.start();
                Broker broker = publishes ? Broker.start() : null) {
            Manner manner = new Manner(LEASE, skew, inOrder, publishes ? broker.address() : "");
            try (Cluster cluster = new Cluster(store.address(), manner, seed, directory)) {
                return run(cluster, store, broker, faults);
            }
        }
    }

    private String title() {
        return database + (inOrder ? ", order by key" : "");
    }

    /** Ledgers are appended to, so that those of a former run must go. */
    private static void empty(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    /** @param broker {@code null} if nothing happens to it */
    private Verdict run(Cluster cluster, Store store, Broker broker, List<PlannedFault> faults) throws Exception {
        Injector injector = new Injector(cluster, store, broker);
        cluster.start(NODES);
        Instant start = Instant.now();
        TimeUnit.MILLISECONDS.sleep(WARM_UP.toMillis());
        for (PlannedFault planned : faults) {
            print(start, injector.inject(planned));
        }
        cluster.quiet();
        drain(store);
        cluster.shutDown();
        History history = cluster.history();
        store.places().forEach(history::place);
        Evidence evidence = new Evidence(
                history,
                store.rows(),
                injector.locksLeft(),
                broker == null ? Map.of() : broker.messages(),
                injector.faults());
        Verdict verdict = new Judge(evidence, LEASE).judge();
        print(new Report(title() + ", seed " + seed, start, evidence, verdict));
        return verdict;
    }

    /** Waits until no event is left; if that takes too long, the judge will see what is. */
    private static void drain(Store store) throws Exception {
        long deadline = System.nanoTime() + DRAIN_TIMEOUT.toNanos();
        while (store.countPending() > 0 && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(DRAIN_POLL_MS);
        }
    }

    private void print(Instant start, Fault fault) {
        out.printf(
                Locale.ROOT,
                "  %+7.1f s  %-8s %s for %.1f s%n",
                Duration.between(start, fault.begin()).toMillis() / 1e3,
                fault.target(),
                fault.kind(),
                fault.duration().toMillis() / 1e3);
    }

    private void print(Report report) throws Exception {
        out.print(report.summary());
        out.print(report.findings(FINDINGS_PRINTED));
        Path file = directory.resolve("report.txt");
        Files.writeString(file, report.summary() + report.faults() + report.findings(Integer.MAX_VALUE));
        out.println("  full report in " + file);
    }
}
