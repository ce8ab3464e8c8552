package io.outbox.samples.demo.tour;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.spi.JsonCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The business: it keeps orders, and writes an event in the same transaction as the change that the event tells of. */
final class Shop {

    private final JdbcOutbox jdbc;
    private final OutboxWriter writer;

    Shop(JdbcOutbox jdbc, OutboxWriter writer) {
        this.jdbc = jdbc;
        this.writer = writer;
    }

    /** The payload of the shop's events. */
    record Order(int number, String item) {}

    static void createTable(JdbcOutbox jdbc) throws SQLException {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            JdbcTemplate.update(conn, "CREATE TABLE orders (number INT PRIMARY KEY, item VARCHAR(80) NOT NULL)");
        }
    }

    /** An event that was committed, and when the commit began, on the clock of {@link System#nanoTime()}. */
    record Placed(String eventId, long committedAt) {}

    /** Stores the order together with an event, and commits both. */
    Placed place(Order order, EventEnvelope event) {
        try (Transaction tx = jdbc.begin()) {
            insert(tx, order);
            String eventId = writer.write(event);
            long committedAt = System.nanoTime();
            tx.commit();
            return new Placed(eventId, committedAt);
        }
    }

    /** Stores the order together with an event, and changes its mind. Returns the event's id. */
    String placeAndRollBack(Order order, EventEnvelope event) {
        try (Transaction tx = jdbc.begin()) {
            insert(tx, order);
            String eventId = writer.write(event);
            tx.rollback();
            return eventId;
        }
    }

    /** Writes the events in one transaction. */
    List<String> tell(List<EventEnvelope> events) {
        try (Transaction tx = jdbc.begin()) {
            List<String> eventIds = writer.writeAll(events);
            tx.commit();
            return eventIds;
        }
    }

    static EventEnvelope event(String eventType, Order order) {
        return EventEnvelope.ofJson(eventType, JsonCodec.getDefault().toJson(order));
    }

    private static void insert(Transaction tx, Order order) {
        JdbcTemplate.update(
                tx.connection(), "INSERT INTO orders (number, item) VALUES (?, ?)", order.number(), order.item());
    }
}
