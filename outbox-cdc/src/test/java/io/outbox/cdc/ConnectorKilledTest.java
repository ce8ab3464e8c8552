package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A worker of Kafka Connect that is killed while events are written, with a real broker behind it. It passes over a row
 * that cannot be published, as it is told to, and sends heartbeats.
 */
class ConnectorKilledTest {

    private static final System.Logger LOG = System.getLogger(ConnectorKilledTest.class.getName());
    private static final String TOPIC = "Order.OrderPlaced";

    private static final String HEARTBEATS = "heartbeats.shop";
    private static final String UNREADABLE_ROW =
            "INSERT INTO outbox_event (event_id, event_type, payload, headers, status, available_at, created_at)"
                    + " VALUES ('unreadable', 'OrderPlaced', '{}', 'no JSON', 0, '2026-01-01', '2026-01-01')";

    @TempDir
    Path directory;

    @Test
    void nothingIsLostOrOutOfOrderWhenTheWorkerIsKilled() throws Exception {
        killAndRestart(LoggedDatabase.Kind.POSTGRESQL, 1, 200);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource
    void nothingIsLostOrOutOfOrderHoweverOftenTheWorkerIsKilled(LoggedDatabase.Kind kind) throws Exception {
        killAndRestart(kind, 6, 2_000);
    }

    private void killAndRestart(LoggedDatabase.Kind kind, int breaks, int eventsBetween) throws Exception {
        long seed = System.nanoTime();
        try (KafkaServer kafka = KafkaServer.start();
                LoggedDatabase database = new LoggedDatabase(kind).prepareForCapture();
                Outbox outbox = Outbox.writerOnly()
                        .backend(database.jdbc.writerOnlyBackend())
                        .purgeRetention(Duration.ofDays(1))
                        .build();
                ConnectWorker worker =
                        new ConnectWorker(directory, kafka, settings(database, kafka), Transform.OUTBOX_RECORDS);
                KafkaConsumer<byte[], byte[]> consumer = consumer(kafka)) {
            createTopics(kafka);
            consumer.subscribe(List.of(TOPIC));
            worker.start();
            awaitFirst(consumer, database, outbox);
            database.execute(UNREADABLE_ROW);
            try (Ledger ledger = new Ledger(database.jdbc, outbox, seed)) {
                for (int i = 0; i < breaks; i++) {
                    read(consumer, ledger, worker, ledger.hasArrived(eventsBetween));
                    Set<String> sentByThisWorker = ledger.takeNew();
                    worker.awaitFlush();
                    ledger.mustNotComeAgain(sentByThisWorker);
                    read(consumer, ledger, worker, ledger.hasArrived(eventsBetween)); // what may come again
                    if (i % 2 == 0) {
                        worker.kill();
                    } else {
                        worker.stop();
                    }
                    readToEnd(consumer, ledger);
                    ledger.takeNew();
                    worker.start();
                }
                read(consumer, ledger, worker, ledger.hasArrived(eventsBetween));
                ledger.stopWriting();
                read(consumer, ledger, worker, ledger::isComplete);

                String result = ledger.check(breaks);
                LOG.log(System.Logger.Level.INFO, "{0}, {1} breaks: {2}", kind, breaks, result);
                assertThat(worker.log())
                        .contains("OutboxRecords cannot publish event unreadable of table outbox_event");
                assertThat(countHeartbeats(kafka)).isPositive();
            }
        }
    }

    /** Writes until something arrives: what is written before the connector reads the log is not for it. */
    private static void awaitFirst(KafkaConsumer<byte[], byte[]> consumer, LoggedDatabase database, Outbox outbox) {
        await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    try (Transaction tx = database.jdbc.begin()) {
                        outbox.writer().write(Capture.order().build());
                        tx.commit();
                    }
                    return !consumer.poll(Duration.ofMillis(50)).isEmpty();
                });
    }

    private static void read(
            KafkaConsumer<byte[], byte[]> consumer, Ledger ledger, ConnectWorker worker, BooleanSupplier isEnough) {
        await().atMost(Duration.ofMinutes(3)).pollDelay(Duration.ZERO).until(() -> {
            read(consumer, ledger);
            assertThat(worker.isAlive())
                    .as(() -> "the worker lives: " + worker.log())
                    .isTrue();
            return isEnough.getAsBoolean();
        });
    }

    private static void read(KafkaConsumer<byte[], byte[]> consumer, Ledger ledger) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
            ledger.arrived(
                    text(record.key()),
                    text(record.headers().lastHeader("outbox_event_id").value()));
        }
    }

    /** Reads what a worker has sent that is no more; the broker may still be taking it in. */
    private static void readToEnd(KafkaConsumer<byte[], byte[]> consumer, Ledger ledger) {
        await().atMost(Connector.PATIENCE)
                .during(Duration.ofMillis(500))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    read(consumer, ledger);
                    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
                    return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
                });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Properties settings(LoggedDatabase database, KafkaServer kafka) {
        Properties settings = database.connector();
        settings.put("tasks.max", "1");
        settings.put("topic.prefix", "shop");
        settings.put("topic.heartbeat.prefix", "heartbeats");
        settings.put("heartbeat.interval.ms", "200");
        settings.put("errors.tolerance", "all");
        settings.put("errors.log.enable", "true");
        if (database.kind == LoggedDatabase.Kind.MYSQL) {
            settings.put("schema.history.internal", "io.debezium.storage.kafka.history.KafkaSchemaHistory");
            settings.put("schema.history.internal.kafka.bootstrap.servers", kafka.bootstrapServers());
            settings.put("schema.history.internal.kafka.topic", "outbox-schema-history");
        }
        return settings;
    }

    private static void createTopics(KafkaServer kafka) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 3, (short) 1), new NewTopic(HEARTBEATS, 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static long countHeartbeats(KafkaServer kafka) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            TopicPartition heartbeats = new TopicPartition(HEARTBEATS, 0);
            return admin.listOffsets(Map.of(heartbeats, OffsetSpec.latest()))
                    .partitionResult(heartbeats)
                    .get(30, TimeUnit.SECONDS)
                    .offset();
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(KafkaServer kafka) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", kafka.bootstrapServers(),
                        "group.id", UUID.randomUUID().toString(),
                        "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
