package io.outbox.samples.cdc;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testservers.PostgresServer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.logging.LogManager;
import org.apache.kafka.connect.source.SourceRecord;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Change data capture in half a minute: an outbox that only writes, and Debezium that reads its rows from the log of
 * PostgreSQL and makes records of them. Starts a server of its own.
 */
public final class CdcDemo {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Map<String, String> TRANSFORM = Map.of(
            "transforms", "outbox",
            "transforms.outbox.type", "io.outbox.cdc.OutboxRecords",
            "transforms.outbox.topic", "{aggregateType}",
            "transforms.outbox.topic.default", "events");

    private static final String BYTES_BEHIND =
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) FROM pg_replication_slots";

    private final PostgresServer server;
    private final String database;
    private final PGSimpleDataSource dataSource = new PGSimpleDataSource();
    private final Path offsets;
    private int shown;

    private CdcDemo(PostgresServer server, Path offsets) {
        this.server = server;
        this.offsets = offsets;
        String url = server.newDatabase();
        this.database = url.replaceAll("\\?.*|.*/(?=\\w+)", "");
        dataSource.setURL(url);
    }

    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().reset(); // what is shown is the records, and not what the log says about them
        Path offsets = Files.createTempFile("outbox-cdc-demo", ".offsets");
        try (PostgresServer server = PostgresServer.start()) {
            new CdcDemo(server, offsets).run();
        } finally {
            Files.delete(offsets);
        }
    }

    private void run() throws Exception {
        say("1. PostgreSQL with wal_level = logical, the outbox table, and a publication of its inserts");
        execute("ALTER SYSTEM SET wal_level = logical");
        server.restart();
        JdbcOutbox jdbc = JdbcOutbox.of(dataSource).createSchema();
        execute(script());
        try (Outbox outbox =
                Outbox.writerOnly().backend(jdbc.writerOnlyBackend()).build()) {
            try (LogReader reader = new LogReader(server, database, offsets, TRANSFORM)) {
                await("the slot", () -> "true".equals(select("SELECT bool_or(active) FROM pg_replication_slots")));
                say("2. Events, and the records that the transform makes of their rows:");
                write(
                        jdbc,
                        outbox,
                        true,
                        order("1")
                                .payloadJson("{\"total\":42}")
                                .header("trace", "4711")
                                .build());
                write(
                        jdbc,
                        outbox,
                        true,
                        order("1").payloadBytes(new byte[] {1, 2, 3}).build());
                write(jdbc, outbox, true, order("1").tombstone().build());
                write(jdbc, outbox, true, EventEnvelope.ofJson("ShopOpened", "{}"));
                show(reader, 4);
                say("3. An order that is rolled back is never seen; the next one is:");
                write(
                        jdbc,
                        outbox,
                        false,
                        order("2").payloadJson("{\"total\":1}").build());
                write(
                        jdbc,
                        outbox,
                        true,
                        order("3").payloadJson("{\"total\":2}").build());
                show(reader, 1);
            }
            say("4. The connector is down, and three orders are placed. The slot keeps the log for it:");
            for (String id : List.of("4", "5", "6")) {
                write(jdbc, outbox, true, order(id).payloadJson("{}").build());
            }
            say("  bytes to read: " + select(BYTES_BEHIND));
            purge(jdbc);
            say("5. The connector is back, and reads on:");
            try (LogReader reader = new LogReader(server, database, offsets, TRANSFORM)) {
                await("three orders", () -> keys(reader).containsAll(List.of("4", "5", "6")));
                reader.records().forEach(CdcDemo::show);
            }
        }
        say("Nothing was lost, though the table is empty.");
    }

    private static List<String> keys(LogReader reader) {
        return reader.records().stream().map(record -> text(record.key())).toList();
    }

    /** Age is all that counts: what is deleted is in the log all the same. */
    private void purge(JdbcOutbox jdbc) throws Exception {
        Outbox purging = Outbox.writerOnly()
                .backend(jdbc.writerOnlyBackend())
                .purgeRetention(Duration.ofMillis(1))
                .purgeInitialDelay(Duration.ZERO)
                .purgeIntervalSeconds(1)
                .build();
        try {
            await("an empty table", () -> "0".equals(select("SELECT count(*) FROM outbox_event")));
        } finally {
            purging.close();
        }
        say("  rows left after the purge by age: 0");
    }

    private static EventEnvelope.Builder order(String id) {
        return EventEnvelope.builder("OrderChanged").aggregateType("Order").aggregateId(id);
    }

    private static void write(JdbcOutbox jdbc, Outbox outbox, boolean commits, EventEnvelope event) {
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().write(event);
            if (commits) {
                tx.commit();
            }
        }
    }

    /** Shows that many records more. */
    private void show(LogReader reader, int count) throws Exception {
        int until = shown + count;
        await(count + " records", () -> reader.records().size() >= until);
        reader.records().subList(shown, until).forEach(CdcDemo::show);
        shown = until;
    }

    private static void show(SourceRecord record) {
        StringJoiner headers = new StringJoiner(", ");
        record.headers().forEach(header -> {
            if (!header.key().matches("outbox_(event_id|occurred_at)")) {
                headers.add(header.key() + "=" + text(header.value()));
            }
        });
        byte[] value = (byte[]) record.value();
        String shown = value == null ? "none (a tombstone)" : value[0] < ' ' ? value.length + " bytes" : text(value);
        say("  topic " + record.topic() + ", key " + text(record.key()) + ", value " + shown + ", " + headers);
    }

    private static String text(Object bytes) {
        return bytes == null ? "none" : new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    private static String script() throws Exception {
        try (InputStream script = JdbcOutbox.class.getResourceAsStream("/schema/postgresql-cdc.sql")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String select(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return String.valueOf(result.getObject(1));
        }
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("There was no sign of " + what + " within " + PATIENCE);
            }
            Thread.sleep(20);
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
