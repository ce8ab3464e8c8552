package io.outbox.benchmarks;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * How fast messages are consumed once, one business row each, beside what a team would write by hand for the same.
 * Every tenth message is one that came before.
 */
final class InboxBenchmark {

    private static final String HEADER = "outbox_event_id";
    private static final String CONSUMER = "benchmark";
    static final int BATCH = 500;
    private static final int REPEATED = 10;

    private static final String MARK = "INSERT INTO outbox_consumed_event (consumer, event_id, consumed_at)"
            + " VALUES (?, ?, now() AT TIME ZONE 'UTC') ON CONFLICT DO NOTHING";
    private static final String EFFECT = "INSERT INTO business (name) VALUES (?)";

    private final Database database;
    private final JdbcInbox inbox;
    private final OutboxIdempotentConsumer consumer;
    private final List<ConsumerRecord<String, String>> messages;
    private final int fresh;

    InboxBenchmark(Database database, int events) {
        this.database = database;
        this.inbox = JdbcInbox.of(database.jdbc()).createSchema();
        this.consumer = inbox.consumer().name(CONSUMER).build();
        this.messages = messages(events);
        this.fresh = (int) messages.stream().distinct().count();
    }

    private static List<ConsumerRecord<String, String>> messages(int events) {
        List<ConsumerRecord<String, String>> messages = new ArrayList<>(events);
        for (int i = 0; i < events; i++) {
            boolean isRepeated = i % REPEATED == REPEATED - 1;
            messages.add(isRepeated ? messages.get(i / 2) : message(i));
        }
        return messages;
    }

    private static ConsumerRecord<String, String> message(int offset) {
        ConsumerRecord<String, String> message = new ConsumerRecord<>("orders", 0, offset, null, "order " + offset);
        message.headers().add(HEADER, UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
        return message;
    }

    int messages() {
        return messages.size();
    }

    /** Consumes all messages that way, and returns how many in a second. */
    double perSecond(Way way) throws SQLException {
        database.resetInbox();
        long start = System.nanoTime();
        way.consumeAll(this);
        double rate = messages.size() / ((System.nanoTime() - start) / 1e9);
        long effects = database.businessRows();
        if (effects != fresh) {
            throw new IllegalStateException(effects + " effects of " + fresh + " events");
        }
        return rate;
    }

    /** A way to consume messages. */
    interface Way {
        void consumeAll(InboxBenchmark benchmark) throws SQLException;
    }

    void handWrittenPair() throws SQLException {
        for (ConsumerRecord<String, String> message : messages) {
            try (Connection conn = database.connection()) {
                conn.setAutoCommit(false);
                try (PreparedStatement mark = conn.prepareStatement(MARK)) {
                    mark.setString(1, CONSUMER);
                    mark.setString(2, eventId(message));
                    if (mark.executeUpdate() == 1) {
                        effect(conn, message);
                    }
                }
                conn.commit();
            }
        }
    }

    void consumePair() {
        for (ConsumerRecord<String, String> message : messages) {
            consumer.consume(message, () -> {
                try {
                    effect(inbox.currentConnection(), message);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    void handWrittenBatches() throws SQLException {
        for (List<ConsumerRecord<String, String>> batch : batches()) {
            try (Connection conn = database.connection()) {
                conn.setAutoCommit(false);
                effects(conn, unmarked(conn, batch));
                conn.commit();
            }
        }
    }

    private static List<ConsumerRecord<String, String>> unmarked(
            Connection conn, List<ConsumerRecord<String, String>> batch) throws SQLException {
        try (PreparedStatement mark = conn.prepareStatement(MARK)) {
            for (ConsumerRecord<String, String> message : batch) {
                mark.setString(1, CONSUMER);
                mark.setString(2, eventId(message));
                mark.addBatch();
            }
            int[] counts = mark.executeBatch();
            List<ConsumerRecord<String, String>> unmarked = new ArrayList<>(batch.size());
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] == 1) {
                    unmarked.add(batch.get(i));
                }
            }
            return unmarked;
        }
    }

    void consumeBatches() {
        for (List<ConsumerRecord<String, String>> batch : batches()) {
            consumer.consume(batch, unmarked -> {
                try {
                    effects(inbox.currentConnection(), unmarked);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    private List<List<ConsumerRecord<String, String>>> batches() {
        List<List<ConsumerRecord<String, String>>> batches = new ArrayList<>();
        for (int from = 0; from < messages.size(); from += BATCH) {
            batches.add(messages.subList(from, Math.min(from + BATCH, messages.size())));
        }
        return batches;
    }

    private static String eventId(ConsumerRecord<String, String> message) {
        return new String(message.headers().lastHeader(HEADER).value(), StandardCharsets.UTF_8);
    }

    private static void effect(Connection conn, ConsumerRecord<String, String> message) throws SQLException {
        try (PreparedStatement insert = conn.prepareStatement(EFFECT)) {
            insert.setString(1, message.value());
            insert.executeUpdate();
        }
    }

    private static void effects(Connection conn, List<ConsumerRecord<String, String>> messages) throws SQLException {
        try (PreparedStatement insert = conn.prepareStatement(EFFECT)) {
            for (ConsumerRecord<String, String> message : messages) {
                insert.setString(1, message.value());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }
}
