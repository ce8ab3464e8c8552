package io.outbox.samples.demo.shop;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.spi.JsonCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The business: it keeps orders, and writes events in the same transaction as the change that they tell of.
 * Thread-safe.
 */
final class Orders {

    /** How many orders are kept. */
    private static final int KEPT = 10_000;

    private final JdbcOutbox jdbc;
    private volatile OutboxWriter writer;

    private Orders(JdbcOutbox jdbc) {
        this.jdbc = jdbc;
    }

    static Orders create(JdbcOutbox jdbc) {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            JdbcTemplate.update(conn, "CREATE TABLE orders (number INT PRIMARY KEY, customer VARCHAR(80), cents INT)");
            return new Orders(jdbc);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Says where events go; listeners write some too, so the outbox that has the writer is built after this. */
    void writeTo(OutboxWriter events) {
        this.writer = events;
    }

    /** Stores the order together with its first events, and commits both. */
    void place(Order order) {
        String trace = Trace.start();
        try (Transaction tx = jdbc.begin()) {
            JdbcTemplate.update(
                    tx.connection(),
                    "INSERT INTO orders (number, customer, cents) VALUES (?, ?, ?)",
                    order.number(),
                    order.customer(),
                    order.cents());
            JdbcTemplate.update(tx.connection(), "DELETE FROM orders WHERE number <= ?", order.number() - KEPT);
            writer.writeAll(List.of(
                    event(EventTypes.ORDER_PLACED, order, trace), event(EventTypes.PAYMENT_REQUESTED, order, trace)));
            tx.commit();
        }
    }

    /** Writes what follows from an event about an order, in the trace of that event. */
    void follow(EventEnvelope event, Order order, String... eventTypes) {
        String trace = Trace.following(event.headers().get(Trace.HEADER));
        try (Transaction tx = jdbc.begin()) {
            writer.writeAll(
                    Stream.of(eventTypes).map(type -> event(type, order, trace)).toList());
            tx.commit();
        }
    }

    private static EventEnvelope event(String eventType, Order order, String trace) {
        return EventEnvelope.builder(eventType)
                .aggregateType(EventTypes.AGGREGATE_TYPE)
                .aggregateId(order.id())
                .tenantId("shop-" + order.country().toLowerCase(Locale.ROOT))
                .header(Trace.HEADER, trace)
                .header("source", "web-shop")
                .payloadJson(JsonCodec.getDefault().toJson(order))
                .build();
    }
}
