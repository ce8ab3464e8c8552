package io.outbox.samples.broker;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.jdbc.JdbcTemplate;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Another application with a database of its own: it reads the orders with a plain Kafka consumer, on a thread of its
 * own, and writes a shipment for each. Messages can come twice, so an idempotent consumer writes the {@code
 * outbox_event_id} down in the transaction of the shipment, and skips those that it has. An application would also
 * subscribe as a consumer group, and commit offsets after that; a single reader of a single partition starts faster.
 */
final class Warehouse implements AutoCloseable {

    private static final Duration POLL_TIMEOUT = Duration.ofMillis(200);

    private final Screen screen;
    private final DataSource database;
    private final JdbcInbox inbox;
    private final OutboxIdempotentConsumer idempotent;
    private final KafkaConsumer<String, String> consumer;
    private final Thread thread = new Thread(this::run, "warehouse");
    private final AtomicInteger repeated = new AtomicInteger();
    private volatile boolean rewindRequested = true;
    private volatile boolean closed;

    private Warehouse(Screen screen, DataSource database, KafkaConsumer<String, String> consumer) {
        this.screen = screen;
        this.database = database;
        this.inbox = JdbcInbox.of(database).createSchema();
        this.idempotent = inbox.consumer().name("warehouse").build();
        this.consumer = consumer;
    }

    static Warehouse open(Screen screen, DataSource database, String bootstrapServers, String topic)
            throws SQLException {
        try (Connection conn = database.getConnection()) {
            JdbcTemplate.update(
                    conn, "CREATE TABLE shipment (event_id VARCHAR(36) NOT NULL, order_id VARCHAR(80) NOT NULL)");
        }
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers, "reconnect.backoff.max.ms", 500);
        Warehouse warehouse = new Warehouse(
                screen, database, new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer()));
        warehouse.consumer.assign(Set.of(new TopicPartition(topic, 0)));
        warehouse.thread.start();
        return warehouse;
    }

    private void run() {
        try (consumer) {
            while (!closed) {
                if (rewindRequested) {
                    rewindRequested = false;
                    consumer.seekToBeginning(consumer.assignment());
                }
                consumer.poll(POLL_TIMEOUT).forEach(this::receive);
            }
        } catch (WakeupException e) {
            // close() ends the wait for messages
        }
    }

    private void receive(ConsumerRecord<String, String> message) {
        boolean isNew = idempotent
                .consumeReturning(message, () -> {
                    ship(message);
                    return message.key();
                })
                .isPresent();
        if (!isNew) {
            repeated.incrementAndGet();
            screen.trouble("skipped    %s, its outbox_event_id was processed before", message.key());
        }
    }

    /** Runs in the transaction in which the event is marked as consumed. */
    private void ship(ConsumerRecord<String, String> message) {
        boolean first = processed() == 0;
        screen.good("received   key %s, payload %s", message.key(), message.value());
        if (first) {
            message.headers().forEach(header -> screen.good("           %-22s %s", header.key(), text(header)));
        }
        JdbcTemplate.update(
                inbox.currentConnection(),
                "INSERT INTO shipment (event_id, order_id) VALUES (?, ?)",
                text(message.headers().lastHeader("outbox_event_id")),
                message.key());
    }

    private static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }

    /** Reads the topic from its first message again. */
    void rewind() {
        rewindRequested = true;
    }

    boolean hasProcessed(String eventId) {
        return count("SELECT COUNT(*) FROM shipment WHERE event_id = ?", eventId) > 0;
    }

    int processed() {
        return count("SELECT COUNT(*) FROM shipment");
    }

    private int count(String sql, Object... params) {
        try (Connection conn = database.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getInt(1), params).get(0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns how many messages were skipped because their event had been processed. */
    int repeated() {
        return repeated.get();
    }

    @Override
    public void close() {
        closed = true;
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
