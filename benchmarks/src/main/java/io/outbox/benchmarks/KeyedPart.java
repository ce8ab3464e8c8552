package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.benchmarks.LatencyPart.Latencies;
import io.outbox.benchmarks.Traffic.WithOutbox;
import io.outbox.spi.Lease;
import io.outbox.testservers.PostgresServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** What order by key costs events that have a key, and those that have none. */
final class KeyedPart implements Part {

    private static final int MANY_KEYS = 100_000;
    private static final int FEW_KEYS = 10;
    private static final int OTHER_KEYS = 1_000;
    private static final int BEHIND = 100_000;
    private static final int HOT_EVENTS = 20_000;
    private static final int WRITERS = 4;
    private static final int QUIET_PER_SECOND = 200;

    /** A kind of outbox, all defaults. */
    private enum Mode {
        SEVERAL("several nodes", () -> Outbox.multiNode().claimLocking(Lease.DEFAULT_DURATION)),
        SINGLE("single node", Outbox::singleNode);

        private final String label;
        private final Supplier<Outbox.AbstractBuilder<?>> builder;

        Mode(String label, Supplier<Outbox.AbstractBuilder<?>> builder) {
            this.label = label;
            this.builder = builder;
        }

        Outbox.AbstractBuilder<?> on(Database database, boolean inOrder) {
            Outbox.AbstractBuilder<?> outbox =
                    builder.get().backend(database.jdbc().backend());
            return inOrder ? outbox.ordering(Ordering.byKey()) : outbox;
        }
    }

    /**
     * A backlog, or traffic.
     *
     * @param database with or without what order by key needs
     * @param keys how many keys the events have; 0 for events without any
     * @param behind how many events there are behind one that blocks another key
     */
    private record Candidate(String what, Mode mode, Database database, int events, int keys, int behind) {

        boolean inOrder() {
            return !what.equals(PLAIN);
        }

        @Override
        public String toString() {
            return mode.label + ", " + what;
        }
    }

    private static final String PLAIN = "without order, table without its columns";
    private static final String UNKEYED = "order by key, events without a key";

    private record Rate(double commitsPerSecond, double undelivered) {
        @Override
        public String toString() {
            return String.format("%,.0f commits/s, %.1f %% left", commitsPerSecond, 100 * undelivered);
        }
    }

    @Override
    public void run(Report report) throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Database plain = Database.create(server.newDatabase() + Settings.CONNECTION);
                Database keyed = Database.create(server.newDatabase() + Settings.CONNECTION)) {
            keyed.createKeyed();
            Map<String, Part> parts = new LinkedHashMap<>();
            parts.put("drains", to -> drains(plain, keyed, to));
            parts.put("hot", to -> hotKey(keyed, to));
            parts.put("blocked", to -> blockedKey(keyed, to));
            parts.put("traffic", to -> traffic(plain, keyed, to));
            parts.put("latency", to -> latency(plain, keyed, to));
            if (!parts.keySet().containsAll(Settings.KEYED_PARTS)) {
                throw new IllegalArgumentException(
                        "bench.keyed.parts is " + Settings.KEYED_PARTS + ", but there are only " + parts.keySet());
            }
            for (Map.Entry<String, Part> part : parts.entrySet()) {
                if (Settings.KEYED_PARTS.isEmpty() || Settings.KEYED_PARTS.contains(part.getKey())) {
                    part.getValue().run(report);
                }
            }
        }
    }

    private void drains(Database plain, Database keyed, Report report) throws Exception {
        int events = Settings.KEYED_EVENTS;
        List<Candidate> candidates = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            candidates.add(new Candidate(PLAIN, mode, plain, events, 0, 0));
            candidates.add(new Candidate(UNKEYED, mode, keyed, events, 0, 0));
            candidates.add(new Candidate(String.format("%,d keys", MANY_KEYS), mode, keyed, events, MANY_KEYS, 0));
            candidates.add(new Candidate(FEW_KEYS + " keys", mode, keyed, events, FEW_KEYS, 0));
        }
        report(report, String.format("Backlog of %,d events, PostgreSQL, warm JVM", events), candidates, 4);
    }

    private void hotKey(Database keyed, Report report) throws Exception {
        List<Candidate> candidates = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            candidates.add(new Candidate("one key", mode, keyed, HOT_EVENTS, 1, 0));
        }
        report(report, String.format("%,d events of one key, PostgreSQL, warm JVM", HOT_EVENTS), candidates, 1);
    }

    private void blockedKey(Database keyed, Report report) throws Exception {
        List<Candidate> candidates = List.of(
                new Candidate("nothing blocked", Mode.SEVERAL, keyed, Settings.KEYED_EVENTS, OTHER_KEYS, 0),
                new Candidate(
                        String.format("%,d events behind a blocked key", BEHIND),
                        Mode.SEVERAL,
                        keyed,
                        Settings.KEYED_EVENTS,
                        OTHER_KEYS,
                        BEHIND));
        report(
                report,
                String.format(
                        "%,d events of %,d other keys beside a blocked one, PostgreSQL",
                        Settings.KEYED_EVENTS, OTHER_KEYS),
                candidates,
                2);
    }

    /** Reports drains, each beside the first of its group of so many. */
    private void report(Report report, String title, List<Candidate> candidates, int group) throws Exception {
        Rounds.run("Warming up", candidates, 1, KeyedPart::drain);
        Map<Candidate, Results<Figures>> results =
                Rounds.run(title, candidates, Settings.KEYED_ROUNDS, KeyedPart::drain);
        report.table(title, "events/s", "of the first", "JVM µs/event", "database µs/event", "WAL bytes/event");
        for (int i = 0; i < candidates.size(); i++) {
            Series first = results.get(candidates.get(i - i % group)).of(Figures::perSecond);
            Results<Figures> figures = results.get(candidates.get(i));
            report.row(
                    candidates.get(i).toString(),
                    Report.spread(figures.of(Figures::perSecond)),
                    i % group == 0 ? "" : Report.ratio(figures.of(Figures::perSecond), first),
                    Report.median(figures.of(Figures::jvmMicros), "%.1f"),
                    Report.median(figures.of(Figures::serverMicros), "%.1f"),
                    Report.median(figures.of(Figures::walBytes), "%,.0f"));
        }
    }

    private static Figures drain(Candidate candidate) throws Exception {
        Database database = candidate.database;
        database.reset();
        if (candidate.behind > 0) {
            database.insertBlockedKey(candidate.behind);
        }
        if (candidate.keys > 0) {
            database.insertWithKeys(candidate.events, candidate.keys);
        } else {
            database.insertWaiting("Benchmarked", candidate.events);
        }
        Meter meter = new Meter(database);
        OutboxDrain.drain((target, listeners) -> candidate
                        .mode
                        .on(target, candidate.inOrder())
                        .listenerRegistry(listeners)
                        .build())
                .drain(database, candidate.events);
        Figures figures = meter.stop(candidate.events);
        long pending = database.pending();
        if (pending != candidate.behind) {
            throw new IllegalStateException(pending + " events are pending after " + candidate);
        }
        return figures;
    }

    private static List<Candidate> writing(Database plain, Database keyed) {
        List<Candidate> candidates = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            candidates.add(new Candidate(PLAIN, mode, plain, 0, 0, 0));
            candidates.add(new Candidate(UNKEYED, mode, keyed, 0, 0, 0));
            candidates.add(new Candidate("events with keys", mode, keyed, 0, OTHER_KEYS, 0));
        }
        return candidates;
    }

    private void traffic(Database plain, Database keyed, Report report) throws Exception {
        List<Candidate> candidates = writing(plain, keyed);
        Rounds.run("Warming up", candidates, 2, KeyedPart::write);
        Map<Candidate, Results<Rate>> results =
                Rounds.run("Live traffic", candidates, Settings.KEYED_ROUNDS, KeyedPart::write);
        report.table(
                String.format("Live traffic of %d writers, PostgreSQL", WRITERS),
                "commits/s",
                "of the first",
                "not delivered when the writers ended");
        for (int i = 0; i < candidates.size(); i++) {
            Series first = results.get(candidates.get(i - i % 3)).of(Rate::commitsPerSecond);
            Results<Rate> rates = results.get(candidates.get(i));
            report.row(
                    candidates.get(i).toString(),
                    Report.spread(rates.of(Rate::commitsPerSecond)),
                    i % 3 == 0 ? "" : Report.ratio(rates.of(Rate::commitsPerSecond), first),
                    Report.median(rates.of(rate -> 100 * rate.undelivered), "%.1f %%"));
        }
    }

    private static Rate write(Candidate candidate) throws Exception {
        Database database = candidate.database;
        database.reset();
        database.settle();
        AtomicInteger turn = new AtomicInteger();
        try (WithOutbox session = new WithOutbox(database, candidate.mode.on(database, candidate.inOrder()))) {
            long start = System.nanoTime();
            long committed = Writers.run(
                    WRITERS, Settings.KEYED_SECONDS, 0, () -> session.commit(event(candidate, turn), () -> {}));
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Rate(committed / seconds, 1 - (double) session.delivered() / committed);
        }
    }

    /** Each key is at rest when its next event comes. */
    private void latency(Database plain, Database keyed, Report report) throws Exception {
        List<Candidate> candidates = writing(plain, keyed);
        Rounds.run("Warming up", candidates, 1, KeyedPart::measureLatency);
        Map<Candidate, Results<Latencies>> results =
                Rounds.run("Commit to listener", candidates, Settings.KEYED_ROUNDS, KeyedPart::measureLatency);
        report.table(
                String.format(
                        "From commit to listener, keys at rest, %d transactions per second, PostgreSQL, ms",
                        QUIET_PER_SECOND),
                "p50",
                "p99",
                "max");
        results.forEach((candidate, latencies) -> report.row(
                candidate.toString(),
                Report.median(latencies.of(Latencies::p50), "%.3f"),
                Report.median(latencies.of(Latencies::p99), "%.2f"),
                Report.median(latencies.of(Latencies::max), "%.1f")));
    }

    private static Latencies measureLatency(Candidate candidate) throws Exception {
        Database database = candidate.database;
        database.reset();
        database.settle();
        AtomicInteger turn = new AtomicInteger();
        Map<String, Long> committedAt = new ConcurrentHashMap<>();
        ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
        try (WithOutbox session = new WithOutbox(database, candidate.mode.on(database, candidate.inOrder()), event -> {
            long now = System.nanoTime();
            Long since = committedAt.remove(event.eventId());
            if (since != null) { // a sweep may be there before the writer's thread
                latencies.add(now - since);
            }
            return DispatchResult.done();
        })) {
            Writers.run(1, Settings.KEYED_SECONDS, QUIET_PER_SECOND, () -> {
                EventEnvelope event = event(candidate, turn);
                session.commit(event, () -> committedAt.put(event.eventId(), System.nanoTime()));
            });
        }
        return Latencies.of(latencies.stream().mapToLong(Long::longValue).toArray());
    }

    private static EventEnvelope event(Candidate candidate, AtomicInteger turn) {
        EventEnvelope.Builder event = EventEnvelope.builder("Benchmarked").payloadJson(Database.PAYLOAD);
        if (candidate.keys > 0) {
            event.aggregateId("key-" + turn.getAndIncrement() % candidate.keys);
        }
        return event.build();
    }
}
