package io.outbox.samples.multids;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.JsonCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Two databases, an outbox in each: orders are placed in one, and invoices are issued in the other.
 *
 * <p>There is no transaction across both. Each event is written in the transaction of its own database, and the
 * listener that carries it over can be called twice for the same event, so it remembers the ids of the events it has
 * dealt with.
 */
public final class MultiDataSourceDemo {

    private static final int ORDERS = 3;
    private static final long PATIENCE_SECONDS = 60;

    private final JdbcOutbox orders;
    private final JdbcOutbox billing;
    private final CountDownLatch mailed = new CountDownLatch(ORDERS);
    private final AtomicInteger invoiceNumbers = new AtomicInteger();
    private Outbox orderEvents;
    private Outbox billingEvents;

    private MultiDataSourceDemo(JdbcOutbox orders, JdbcOutbox billing) {
        this.orders = orders;
        this.billing = billing;
    }

    /** The payload of both events. */
    record Order(int number, int cents) {}

    public static void main(String[] args) throws Exception {
        JdbcConnectionPool ordersDatabase = JdbcConnectionPool.create("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1", "sa", "");
        JdbcConnectionPool billingDatabase =
                JdbcConnectionPool.create("jdbc:h2:mem:billing;DB_CLOSE_DELAY=-1", "sa", "");
        boolean asPromised;
        try {
            asPromised = new MultiDataSourceDemo(
                            JdbcOutbox.of(ordersDatabase).createSchema(),
                            JdbcOutbox.of(billingDatabase).createSchema())
                    .run();
        } finally {
            ordersDatabase.dispose();
            billingDatabase.dispose();
        }
        if (!asPromised) {
            System.exit(1);
        }
    }

    private boolean run() throws Exception {
        createTables();
        try (Outbox fromOrders = outbox(orders, "OrderPlaced", this::issueInvoice);
                Outbox fromBilling = outbox(billing, "InvoiceIssued", this::mailInvoice)) {
            orderEvents = fromOrders;
            billingEvents = fromBilling;
            System.out.println("Two H2 databases, orders and billing, each with its own outbox table");
            System.out.println();
            for (int i = 1; i <= ORDERS; i++) {
                placeOrder(new Order(i, 1_000 * i));
            }
            refuseForeignTransaction();
            if (!mailed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not every invoice was mailed within " + PATIENCE_SECONDS + " s");
            }
        }
        return summary();
    }

    private static Outbox outbox(JdbcOutbox jdbc, String eventType, EventListener listener) {
        return Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry().register(eventType, listener))
                .build();
    }

    private void createTables() throws SQLException {
        try (Connection conn = orders.connectionProvider().getConnection()) {
            JdbcTemplate.update(conn, "CREATE TABLE orders (number INT PRIMARY KEY, cents INT NOT NULL)");
        }
        try (Connection conn = billing.connectionProvider().getConnection()) {
            JdbcTemplate.update(
                    conn, "CREATE TABLE invoices (event_id VARCHAR(36) PRIMARY KEY, number INT, order_number INT)");
        }
    }

    /** In the orders database: the order and its event. */
    private void placeOrder(Order order) {
        try (Transaction tx = orders.begin()) {
            JdbcTemplate.update(
                    tx.connection(), "INSERT INTO orders (number, cents) VALUES (?, ?)", order.number(), order.cents());
            orderEvents.writer().write("OrderPlaced", JsonCodec.getDefault().toJson(order));
            tx.commit();
        }
        System.out.println("orders:  order " + order.number() + " placed, OrderPlaced written");
    }

    /** From the orders outbox into the billing database: the invoice and its own event, once per event id. */
    private DispatchResult issueInvoice(EventEnvelope event) {
        Order order = event.payload(Order.class);
        try (Transaction tx = billing.begin()) {
            boolean known = !JdbcTemplate.query(
                            tx.connection(),
                            "SELECT 1 FROM invoices WHERE event_id = ?",
                            row -> row.getInt(1),
                            event.eventId())
                    .isEmpty();
            if (!known) {
                int number = invoiceNumbers.incrementAndGet();
                JdbcTemplate.update(
                        tx.connection(),
                        "INSERT INTO invoices (event_id, number, order_number) VALUES (?, ?, ?)",
                        event.eventId(),
                        number,
                        order.number());
                billingEvents.writer().write("InvoiceIssued", event.payloadJson());
                System.out.println("billing: invoice for order " + order.number() + " issued, InvoiceIssued written");
            }
            tx.commit();
        }
        return DispatchResult.done();
    }

    private DispatchResult mailInvoice(EventEnvelope event) {
        Order order = event.payload(Order.class);
        System.out.println("mail:    invoice for order " + order.number() + " sent");
        mailed.countDown();
        return DispatchResult.done();
    }

    /** A transaction of one database does not let events into the outbox of the other. */
    private void refuseForeignTransaction() {
        try (Transaction tx = orders.begin()) {
            billingEvents.writer().write("InvoiceIssued", "{}");
            tx.commit();
            throw new AssertionError("the event escaped its transaction");
        } catch (IllegalStateException e) {
            System.out.println("refused: an event for the billing outbox in a transaction of the orders database");
        }
    }

    private boolean summary() throws SQLException {
        int placed = finished(orders);
        int issued = finished(billing);
        System.out.println();
        System.out.println("database  events delivered");
        System.out.println("orders    " + placed);
        System.out.println("billing   " + issued);
        return placed == ORDERS && issued == ORDERS;
    }

    private static int finished(JdbcOutbox jdbc) throws SQLException {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            return JdbcTemplate.query(conn, "SELECT COUNT(*) FROM outbox_event WHERE status = 1", row -> row.getInt(1))
                    .get(0);
        }
    }
}
