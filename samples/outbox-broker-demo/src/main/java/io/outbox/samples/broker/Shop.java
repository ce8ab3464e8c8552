package io.outbox.samples.broker;

import io.outbox.OutboxPublisher;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import java.sql.Connection;
import java.sql.SQLException;

/** The business: it keeps orders, and publishes an event in the transaction that stores an order. */
final class Shop {

    static final String AGGREGATE_TYPE = "Order";
    static final String ORDER_PLACED = "OrderPlaced";

    private final JdbcOutbox jdbc;
    private final OutboxPublisher publisher;

    Shop(JdbcOutbox jdbc, OutboxPublisher publisher) {
        this.jdbc = jdbc;
        this.publisher = publisher;
    }

    /** The payload of the shop's events. */
    record Order(int number, String item) {

        String id() {
            return "order-" + number;
        }
    }

    static void createTable(JdbcOutbox jdbc) throws SQLException {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            JdbcTemplate.update(conn, "CREATE TABLE orders (number INT PRIMARY KEY, item VARCHAR(80) NOT NULL)");
        }
    }

    /** Stores the order together with its event, and commits both. Returns the event's id. */
    String place(Order order) {
        try (Transaction tx = jdbc.begin()) {
            String eventId = store(tx, order);
            tx.commit();
            return eventId;
        }
    }

    /** Stores the order together with its event, and changes its mind. Returns the event's id. */
    String placeAndRollBack(Order order) {
        try (Transaction tx = jdbc.begin()) {
            String eventId = store(tx, order);
            tx.rollback();
            return eventId;
        }
    }

    private String store(Transaction tx, Order order) {
        JdbcTemplate.update(
                tx.connection(), "INSERT INTO orders (number, item) VALUES (?, ?)", order.number(), order.item());
        return publisher
                .event(ORDER_PLACED)
                .aggregate(AGGREGATE_TYPE, order.id())
                .header("channel", "web")
                .publish(order);
    }
}
