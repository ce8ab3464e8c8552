package io.outbox.samples.cdc;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.outbox.testservers.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.connect.source.SourceRecord;

/** Debezium in this program, in place of a worker of Kafka Connect, with the settings of docs/cdc.md. */
final class LogReader implements AutoCloseable {

    private final List<SourceRecord> records = new CopyOnWriteArrayList<>();
    private final DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine;
    private final Thread thread;

    /** Reads on where the offsets say, and from now on if there are none. */
    LogReader(PostgresServer server, String database, Path offsets, Map<String, String> transform) {
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "name",
                "outbox",
                "connector.class",
                "io.debezium.connector.postgresql.PostgresConnector",
                "database.hostname",
                "127.0.0.1",
                "database.port",
                Integer.toString(server.port()),
                "database.user",
                server.user(),
                "database.password",
                server.password(),
                "database.dbname",
                database,
                "topic.prefix",
                "shop"));
        settings.putAll(Map.of(
                "plugin.name", "pgoutput",
                "slot.name", "outbox",
                "publication.name", "outbox_pub",
                "publication.autocreate.mode", "disabled",
                "table.include.list", "public.outbox_event",
                "snapshot.mode", "no_data",
                "poll.interval.ms", "10"));
        settings.putAll(Map.of(
                "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore",
                "offset.storage.file.filename", offsets.toString(),
                "offset.flush.interval.ms", "500"));
        settings.putAll(transform);
        engine = DebeziumEngine.create(Connect.class)
                .using(settings)
                .notifying(event -> records.add(event.value()))
                .build();
        thread = new Thread(engine, "log-reader");
        thread.start();
    }

    List<SourceRecord> records() {
        return records;
    }

    @Override
    public void close() throws IOException {
        engine.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
