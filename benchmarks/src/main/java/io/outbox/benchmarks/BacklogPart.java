package io.outbox.benchmarks;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * How a large backlog tells: one of a lane that is paused on all other event types, and one of the delivered type
 * itself on rate and memory.
 */
final class BacklogPart implements Part {

    private static final int NODES = 3;
    private static final String PAUSED = "Paused";
    private static final List<String> LARGE_HEAP = List.of("-Xmx256m", "-XX:+UseSerialGC");

    private final Database database;

    BacklogPart(Database database) {
        this.database = database;
    }

    /** A database with or without events of the paused lane. */
    private record Candidate(String label, Database database) {
        @Override
        public String toString() {
            return label;
        }
    }

    private record Size(int events, Drain drain) {
        @Override
        public String toString() {
            return String.format("%,d events, %s", events, drain.label());
        }
    }

    private record Result(double perSecond, double heapMegabytes) {
        @Override
        public String toString() {
            return String.format("%,.0f events/s, heap %.0f MB", perSecond, heapMegabytes);
        }
    }

    @Override
    public void run(Report report) throws Exception {
        behindPausedLane(PostgresServer::start, report);
        behindPausedLane(MySqlServer::start, report);
        sizes(report);
    }

    private static void behindPausedLane(Supplier<? extends DatabaseServer> start, Report report) throws Exception {
        try (DatabaseServer server = start.get();
                Database without = Database.create(server.newDatabase());
                Database with = Database.create(server.newDatabase())) {
            String name = with.dialect().name();
            System.out.printf("%s: inserting %,d events of a paused lane …%n", name, Settings.PAUSED_EVENTS);
            without.createLaneIndex();
            with.createLaneIndex();
            with.insertWaiting(PAUSED, Settings.PAUSED_EVENTS);
            List<Candidate> candidates = List.of(
                    new Candidate("nothing in the paused lane", without),
                    new Candidate(String.format("%,d events in the paused lane", Settings.PAUSED_EVENTS), with));
            Rounds.run("Warming up", candidates.subList(0, 1), 1, candidate -> besidePausedLane(candidate.database));
            Map<Candidate, Results<Double>> results = Rounds.run(
                    name + ", other types behind a paused lane",
                    candidates,
                    Settings.ROUNDS,
                    candidate -> besidePausedLane(candidate.database));
            report.table(
                    String.format(
                            "%,d events of other types behind a paused lane, %d nodes, %s",
                            Settings.OTHER_EVENTS, NODES, name),
                    "events/s",
                    "of it");
            Series limit = results.get(candidates.get(0)).of(Double::doubleValue);
            results.forEach((candidate, result) -> {
                Series rate = result.of(Double::doubleValue);
                report.row(candidate.label, Report.spread(rate), Report.ratio(rate, limit));
            });
        }
    }

    /**
     * Returns how many events of other types are delivered in a second, by as many as come in half a minute at most.
     */
    private static double besidePausedLane(Database database) throws Exception {
        int events = Settings.OTHER_EVENTS;
        database.insertBacklog(events);
        CountDownLatch open = new CountDownLatch(events);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry()
                .register("Benchmarked", event -> {
                    open.countDown();
                    return DispatchResult.done();
                })
                .register(PAUSED, event -> {
                    throw new IllegalStateException("its lane is paused");
                });
        List<Outbox> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < NODES; i++) {
                Outbox node = Outbox.multiNode()
                        .claimLocking(Lease.DEFAULT_DURATION)
                        .backend(database.jdbc().backend())
                        .listenerRegistry(listeners)
                        .lane(PAUSED, LanePolicy.builder().build())
                        .startManually()
                        .build();
                nodes.add(node);
                node.pause(PAUSED);
            }
            long start = System.nanoTime();
            nodes.forEach(Outbox::start);
            open.await(Settings.BACKLOG_SECONDS, TimeUnit.SECONDS);
            return (events - open.getCount()) / ((System.nanoTime() - start) / 1e9);
        } finally {
            nodes.forEach(Outbox::close);
            database.removeBacklog();
        }
    }

    private void sizes(Report report) throws Exception {
        List<Size> sizes = new ArrayList<>();
        for (int events : List.of(Settings.EVENTS, Settings.LARGE_EVENTS)) {
            sizes.add(new Size(events, Drain.SINGLE_DEFAULTS));
            sizes.add(new Size(events, Drain.SEVERAL_DEFAULTS));
        }
        Map<Size, Results<Result>> results = Rounds.run("Backlogs of two sizes", sizes, 1, this::drain);
        report.table(
                "A small and a large backlog, a JVM just started with a heap of 256 MB, PostgreSQL",
                "events/s",
                "heap after collection, MB");
        results.forEach((size, result) -> report.row(
                size.toString(),
                Report.median(result.of(Result::perSecond), "%,.0f"),
                Report.median(result.of(Result::heapMegabytes), "%.0f")));
    }

    private Result drain(Size size) throws Exception {
        database.reset();
        database.insertWaiting("Benchmarked", size.events);
        try (Child child = Child.start(
                LARGE_HEAP, Draining.class, database.url(), size.drain.key(), Integer.toString(size.events))) {
            String[] figures = child.answer().split(" ");
            return new Result(Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
        }
    }

    /** A JVM that drains a backlog, and tells its rate and what its heap had to hold at most. */
    static final class Draining {

        private static final AtomicLong HEAP = new AtomicLong();

        private Draining() {}

        public static void main(String[] args) throws Exception {
            ManagementFactory.getGarbageCollectorMXBeans().forEach(Draining::watch);
            try (Database database = Database.existing(args[0])) {
                int events = Integer.parseInt(args[2]);
                Figures figures = Drain.of(args[1]).measure(database, events);
                Child.tell(String.format(Locale.ROOT, "%f %f", figures.perSecond(), HEAP.get() / 1e6));
            }
        }

        private static void watch(GarbageCollectorMXBean collector) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, ignored) -> note(
                                    GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())),
                            null,
                            null);
        }

        private static void note(GarbageCollectionNotificationInfo collection) {
            long left = collection.getGcInfo().getMemoryUsageAfterGc().entrySet().stream()
                    .filter(pool -> isHeap(pool.getKey()))
                    .map(Map.Entry::getValue)
                    .mapToLong(MemoryUsage::getUsed)
                    .sum();
            HEAP.accumulateAndGet(left, Math::max);
        }

        private static boolean isHeap(String pool) {
            return pool.contains("Eden") || pool.contains("Survivor") || pool.contains("Gen");
        }
    }
}
