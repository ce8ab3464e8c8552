package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** How fast many events are written in one transaction, in one call, in single ones, and by hand. */
final class WriteAllPart implements Part {

    /** Rows of one INSERT by hand. */
    private static final int ROWS = 500;

    private static final String INSERT = """
            INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status, attempts, available_at, created_at)
            VALUES\s""";

    private static final List<Candidate> CANDIDATES = List.of(
            new Candidate("by hand, an INSERT of 500 rows", WriteAllPart::byHand),
            new Candidate(
                    "writeAll, outbox that only writes",
                    (database, events) -> onlyWriting(database, writer -> writer.writeAll(events))),
            new Candidate(
                    "writeAll, several nodes",
                    (database, events) -> delivering(database, writer -> writer.writeAll(events))),
            new Candidate(
                    "single writes, outbox that only writes",
                    (database, events) -> onlyWriting(database, writer -> events.forEach(writer::write))),
            new Candidate(
                    "single writes, several nodes",
                    (database, events) -> delivering(database, writer -> events.forEach(writer::write))));

    /** Writes events in one transaction, and returns how many nanoseconds that took up to the end of the commit. */
    private interface Way {
        long write(Database database, List<EventEnvelope> events) throws Exception;
    }

    private record Candidate(String label, Way way) {
        @Override
        public String toString() {
            return label;
        }
    }

    private interface Writing {
        void by(OutboxWriter writer);
    }

    @Override
    public void run(Report report) throws Exception {
        on(PostgresServer::start, report);
        on(MySqlServer::start, report);
        on(MariaDbServer::start, report);
    }

    private static void on(Supplier<? extends DatabaseServer> start, Report report) throws Exception {
        try (DatabaseServer server = start.get();
                Database database = Database.create(server.newDatabase())) {
            String name = database.dialect().name();
            Rounds.run("Warming up", CANDIDATES, 1, candidate -> measure(candidate, database));
            Map<Candidate, Results<Double>> results = Rounds.run(
                    name + ", many events in one transaction",
                    CANDIDATES,
                    Settings.ROUNDS,
                    candidate -> measure(candidate, database));
            report.table(
                    String.format(
                            "%,d events of 300 bytes written in one transaction, %s", Settings.WRITE_ALL_EVENTS, name),
                    "events/s",
                    "of it");
            Series limit = results.get(CANDIDATES.get(0)).of(Double::doubleValue);
            results.forEach((candidate, result) -> {
                Series rate = result.of(Double::doubleValue);
                report.row(candidate.label, Report.spread(rate), Report.ratio(rate, limit));
            });
        }
    }

    private static double measure(Candidate candidate, Database database) throws Exception {
        database.reset();
        database.settle();
        List<EventEnvelope> events = Stream.generate(() -> EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD))
                .limit(Settings.WRITE_ALL_EVENTS)
                .toList();
        return events.size() * 1e9 / candidate.way.write(database, events);
    }

    private static long onlyWriting(Database database, Writing writing) {
        try (Outbox outbox =
                Outbox.writerOnly().backend(database.jdbc().writerOnlyBackend()).build()) {
            return transact(database, outbox, writing);
        }
    }

    private static long delivering(Database database, Writing writing) {
        try (Outbox outbox = Outbox.multiNode()
                .claimLocking(Lease.DEFAULT_DURATION)
                .backend(database.jdbc().backend())
                .listenerRegistry(new DefaultListenerRegistry().register("Benchmarked", event -> DispatchResult.done()))
                .build()) {
            return transact(database, outbox, writing);
        }
    }

    private static long transact(Database database, Outbox outbox, Writing writing) {
        long start = System.nanoTime();
        try (Transaction tx = database.jdbc().begin()) {
            writing.by(outbox.writer());
            tx.commit();
        }
        return System.nanoTime() - start;
    }

    private static long byHand(Database database, List<EventEnvelope> events) throws SQLException {
        long start = System.nanoTime();
        try (Connection conn = database.connection()) {
            conn.setAutoCommit(false);
            for (int from = 0; from < events.size(); from += ROWS) {
                insert(conn, events.subList(from, Math.min(from + ROWS, events.size())));
            }
            conn.commit();
            conn.setAutoCommit(true);
        }
        return System.nanoTime() - start;
    }

    private static void insert(Connection conn, List<EventEnvelope> events) throws SQLException {
        String rows = String.join(", ", Collections.nCopies(events.size(), "(?, ?, ?, ?, 0, 0, ?, ?)"));
        try (PreparedStatement insert = conn.prepareStatement(INSERT + rows)) {
            LocalDateTime now = LocalDateTime.now(ZoneOffset.UTC);
            int place = 1;
            for (EventEnvelope event : events) {
                insert.setString(place++, event.eventId());
                insert.setString(place++, event.eventType());
                insert.setString(place++, event.aggregateType());
                insert.setString(place++, event.payloadJson());
                insert.setObject(place++, now);
                insert.setObject(place++, now);
            }
            insert.executeUpdate();
        }
    }
}
