package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * How nodes share a backlog, each in a JVM of its own, and what many of them cost while nothing happens. The JVMs last
 * for all rounds, and each has drained a backlog by itself before: how much code an event passes through in a new one
 * is another question, which {@link ColdPart} answers.
 */
final class NodesPart implements Part {

    private static final int MOST_NODES = 8;
    private static final List<Candidate> CANDIDATES = Stream.of(Way.LOOP, Way.OUTBOX)
            .flatMap(way -> Stream.of(1, 2, 4, MOST_NODES).map(nodes -> new Candidate(way, nodes)))
            .toList();
    private static final int IDLE_NODES = 16;
    private static final int IDLE_LANES = 4;
    private static final int WARM_UP_SECONDS = 10;
    private static final int REPORT_MS = 20;
    private static final List<String> JVM_OPTIONS = List.of("-Xmx256m", "-XX:+UseSerialGC");

    private final Database database;

    NodesPart(Database database) {
        this.database = database;
    }

    /** What a node drains with. */
    private enum Way {
        LOOP("hand-written loop"),
        OUTBOX("outbox");

        private final String label;

        Way(String label) {
            this.label = label;
        }
    }

    private record Candidate(Way way, int nodes) {
        @Override
        public String toString() {
            return way.label + ", " + nodes + (nodes == 1 ? " node" : " nodes");
        }
    }

    /** What a drain took; times are those of the server. */
    private record Result(double perSecond, double transactions, double serverMicros) {
        @Override
        public String toString() {
            return String.format(
                    "%,.0f events/s, %.4f transactions and %.1f µs of the database per event",
                    perSecond, transactions, serverMicros);
        }
    }

    @Override
    public void run(Report report) throws Exception {
        database.createLaneIndex();
        int events = Settings.EVENTS;
        Map<Candidate, Results<Result>> results;
        Map<Way, List<Child>> children = new EnumMap<>(Way.class);
        try {
            for (Way way : Way.values()) {
                children.put(way, start(way, MOST_NODES, 0));
            }
            for (List<Child> ofWay : children.values()) {
                for (Child child : ofWay) {
                    Rounds.run("Warming up", List.of(1), 1, nodes -> drain(List.of(child), events));
                }
            }
            results = Rounds.run(
                    "Backlog shared by nodes",
                    CANDIDATES,
                    Settings.ROUNDS,
                    candidate -> drain(children.get(candidate.way()).subList(0, candidate.nodes()), events));
        } finally {
            children.values().forEach(NodesPart::close);
        }
        report.table(
                String.format("Backlog of %,d events shared by nodes, each a warm JVM, PostgreSQL", events),
                "events/s",
                "of one node",
                "transactions/event",
                "database µs/event");
        results.forEach((candidate, result) -> report.row(
                candidate.toString(),
                Report.spread(result.of(Result::perSecond)),
                Report.ratio(
                        result.of(Result::perSecond),
                        results.get(new Candidate(candidate.way(), 1)).of(Result::perSecond)),
                Report.median(result.of(Result::transactions), "%.4f"),
                Report.median(result.of(Result::serverMicros), "%.1f")));
        idle(report);
    }

    private Result drain(List<Child> children, int events) throws Exception {
        database.reset();
        database.insertBacklog(events);
        long transactions = database.transactions();
        long serverNanos = ServerTime.nanos();
        long start = System.nanoTime();
        for (Child child : children) {
            child.goOn();
        }
        awaitDelivered(children, events);
        for (Child child : children) {
            child.goOn();
        }
        for (Child child : children) {
            awaitClosed(child);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        double serverMicros = (ServerTime.nanos() - serverNanos) / 1e3;
        if (database.pending() != 0) {
            throw new IllegalStateException(database.pending() + " events are still pending");
        }
        return new Result(
                events / seconds, (double) (database.transactions() - transactions) / events, serverMicros / events);
    }

    private List<Child> start(Way way, int nodes, int lanes) throws Exception {
        List<Child> children = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            children.add(Child.start(
                    JVM_OPTIONS, Node.class, database.url(), way.name(), "node-" + i, Integer.toString(lanes)));
        }
        for (Child child : children) {
            child.answer();
        }
        return children;
    }

    /** Reads from each how many it has delivered, until that is all. */
    private static void awaitDelivered(List<Child> children, int events) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        long delivered = 0;
        while (delivered < events) {
            delivered = 0;
            for (Child child : children) {
                delivered += Long.parseLong(child.answer());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(delivered + " of " + events + " events were delivered in 5 minutes");
            }
        }
    }

    private static void awaitClosed(Child child) throws Exception {
        for (String answer = child.answer(); !answer.equals(Node.CLOSED); ) {
            answer = child.answer();
        }
    }

    private static void close(List<Child> children) {
        children.forEach(Child::close);
    }

    private void idle(Report report) throws Exception {
        database.reset();
        System.out.printf("At rest: %d nodes with %d lanes each …%n", IDLE_NODES, IDLE_LANES);
        List<Child> children = start(Way.OUTBOX, IDLE_NODES, IDLE_LANES);
        try {
            for (Child child : children) {
                child.goOn();
            }
            TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
            long transactions = database.transactions();
            long serverNanos = ServerTime.nanos();
            TimeUnit.SECONDS.sleep(Settings.IDLE_SECONDS);
            double perSecond = (double) (database.transactions() - transactions) / Settings.IDLE_SECONDS;
            double serverMillis = (ServerTime.nanos() - serverNanos) / 1e6 / Settings.IDLE_SECONDS;
            report.table(
                    "At rest for " + Settings.IDLE_SECONDS + " s, all defaults, PostgreSQL",
                    "transactions/s",
                    "database ms/s");
            report.row(
                    IDLE_NODES + " nodes with " + IDLE_LANES + " lanes each",
                    String.format(Locale.ROOT, "%.1f", perSecond),
                    String.format(Locale.ROOT, "%.1f", serverMillis));
            for (Child child : children) {
                child.goOn();
            }
        } finally {
            close(children);
        }
    }

    /** A node: starts and closes whenever it is told to, and says how far it is meanwhile. */
    static final class Node {

        static final String CLOSED = "closed";
        /** As many as a node uses by itself: more would be opened during the measurement, and cost more than it. */
        private static final int CONNECTIONS = 4;

        private Node() {}

        public static void main(String[] args) throws Exception {
            try (Database database = Database.existing(args[0], CONNECTIONS)) {
                Child.tell("ready");
                while (Child.awaitStep()) {
                    LongAdder delivered = new LongAdder();
                    Thread reporter = new Thread(() -> report(delivered), "reporter");
                    reporter.setDaemon(true);
                    reporter.start();
                    try {
                        switch (Way.valueOf(args[1])) {
                            case LOOP -> runLoop(database, args[2], delivered);
                            case OUTBOX -> runOutbox(database, Integer.parseInt(args[3]), delivered);
                        }
                    } finally {
                        reporter.interrupt();
                        reporter.join();
                    }
                    Child.tell(CLOSED);
                }
            }
        }

        private static void runLoop(Database database, String name, LongAdder delivered) throws Exception {
            HandWritten.drain(database, name, database.dialect().loop(), delivered);
            Child.awaitStep();
        }

        private static void runOutbox(Database database, int lanes, LongAdder delivered) throws IOException {
            DefaultListenerRegistry listeners = new DefaultListenerRegistry();
            listeners.register("Benchmarked", event -> {
                delivered.increment();
                return DispatchResult.done();
            });
            var builder =
                    Outbox.multiNode().claimLocking(Lease.DEFAULT_DURATION).startManually();
            for (int i = 0; i < lanes; i++) {
                listeners.register("Type" + i, event -> DispatchResult.done());
                builder.lane("Type" + i, LanePolicy.builder().build());
            }
            try (Outbox outbox = builder.backend(database.jdbc().backend())
                    .listenerRegistry(listeners)
                    .build()) {
                outbox.start();
                Child.awaitStep();
            }
        }

        private static void report(LongAdder delivered) {
            try {
                while (true) {
                    Child.tell(Long.toString(delivered.sum()));
                    TimeUnit.MILLISECONDS.sleep(REPORT_MS);
                }
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
