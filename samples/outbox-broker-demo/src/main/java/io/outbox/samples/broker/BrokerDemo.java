package io.outbox.samples.broker;

import io.outbox.DefaultOutboxPublisher;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.samples.broker.Shop.Order;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * The outbox with a broker in a minute: a shop publishes events in its transactions, they go to Kafka, a warehouse
 * consumes each of them once; then the broker is killed and comes back.
 */
public final class BrokerDemo {

    /** Short, so that the viewer does not wait: an outage is noticed after two thirds of it. */
    private static final Duration EMERGENCY_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long GLANCE_MS = 10;

    private static final Logger OUTBOX_LOG = Logger.getLogger("io.outbox");

    private final Screen screen;
    private final Broker broker;
    private final JdbcOutbox jdbc;
    private final Outbox outbox;
    private final Shop shop;
    private final Warehouse warehouse;
    private final List<String> committed = new ArrayList<>();
    private String rolledBack;
    private Waiting waiting;
    private double secondsToArrive;

    private BrokerDemo(Screen screen, Broker broker, JdbcOutbox jdbc, Outbox outbox, Warehouse warehouse) {
        this.screen = screen;
        this.broker = broker;
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.shop = new Shop(jdbc, new DefaultOutboxPublisher(outbox.writer()));
        this.warehouse = warehouse;
    }

    /** What the outbox table says of the events that are not finished. */
    private record Waiting(int events, int attempts) {}

    public static void main(String[] args) throws Exception {
        OUTBOX_LOG.setLevel(Level.OFF); // the demo tells by itself what would be in the log
        Screen screen = new Screen();
        screen.heading("Transactional outbox with Kafka");
        screen.say("shop ── transaction ──▶ orders + outbox table (H2) ── outbox ──▶ Kafka topic ──▶ warehouse");
        screen.say("warehouse ── transaction ──▶ shipments + consumed events (another H2)");
        screen.did("starting a Kafka broker from Maven packages …");
        long start = System.nanoTime();
        boolean asPromised;
        JdbcConnectionPool database = JdbcConnectionPool.create("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "sa", "");
        JdbcConnectionPool elsewhere = JdbcConnectionPool.create("jdbc:h2:mem:warehouse;DB_CLOSE_DELAY=-1", "sa", "");
        try (Broker broker = Broker.start()) {
            screen.did("it runs on %s, after %.1f s", broker.address(), secondsSince(start));
            JdbcOutbox jdbc = JdbcOutbox.of(database).createSchema();
            Shop.createTable(jdbc);
            try (KafkaEventPublisher kafka = kafka(broker);
                    Outbox outbox = outbox(jdbc, kafka);
                    Warehouse warehouse = Warehouse.open(screen, elsewhere, broker.address(), Broker.TOPIC)) {
                asPromised = new BrokerDemo(screen, broker, jdbc, outbox, warehouse).run();
            }
        } finally {
            database.dispose();
            elsewhere.dispose();
        }
        if (!asPromised) {
            System.exit(1);
        }
    }

    private static KafkaEventPublisher kafka(Broker broker) {
        return KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", broker.address()))
                .topic(Broker.TOPIC)
                .emergencyTimeout(EMERGENCY_TIMEOUT)
                .build();
    }

    private static Outbox outbox(JdbcOutbox jdbc, KafkaEventPublisher kafka) {
        return Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry().register(Shop.AGGREGATE_TYPE, Shop.ORDER_PLACED, kafka))
                .lane(
                        Shop.ORDER_PLACED,
                        LanePolicy.builder().batchSize(100).maxAttempts(4).build())
                .build();
    }

    private boolean run() throws InterruptedException {
        transactions();
        outage();
        recovery();
        repetition();
        return summary();
    }

    private void transactions() throws InterruptedException {
        screen.heading("1. Two orders are committed, one is rolled back");
        for (Order order : List.of(new Order(1, "lamp"), new Order(2, "chair"))) {
            place(order);
            awaitFinished();
        }
        Order regretted = new Order(3, "desk");
        screen.did("%-10s INSERT INTO orders, publish(OrderPlaced), ROLLBACK: nothing is sent", regretted.id());
        rolledBack = shop.placeAndRollBack(regretted);
    }

    private void place(Order order) {
        screen.did("%-10s INSERT INTO orders, publish(OrderPlaced), COMMIT", order.id());
        committed.add(shop.place(order));
    }

    private void outage() throws InterruptedException {
        screen.heading("2. The broker is killed; the shop continues");
        broker.kill();
        screen.trouble("kill -9: Kafka is gone");
        long start = System.nanoTime();
        for (int number = 4; number <= 8; number++) {
            place(new Order(number, "lamp"));
        }
        await(
                "the outage to be noticed",
                () -> !outbox.status().unavailableTypes().isEmpty());
        screen.trouble(
                "after %.1f s the outbox reports as unavailable: %s",
                secondsSince(start), outbox.status().unavailableTypes());
        waiting = waiting();
        screen.did("%d events wait in the table, with %d attempts counted", waiting.events(), waiting.attempts());
    }

    private Waiting waiting() {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            return JdbcTemplate.query(
                            conn,
                            "SELECT COUNT(*), COALESCE(MAX(attempts), 0) FROM outbox_event WHERE status <> 1",
                            row -> new Waiting(row.getInt(1), row.getInt(2)))
                    .get(0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int pending() {
        return waiting().events();
    }

    private void recovery() throws InterruptedException {
        screen.heading("3. The broker comes back; the shop is not restarted");
        screen.did("starting Kafka again …");
        broker.restart();
        screen.did("it is up");
        long start = System.nanoTime();
        awaitFinished();
        await(
                "the route to be available",
                () -> outbox.status().unavailableTypes().isEmpty());
        secondsToArrive = secondsSince(start);
        screen.did("all that waited arrived within %.1f s; nothing is unavailable any more", secondsToArrive);
    }

    private void repetition() throws InterruptedException {
        screen.heading("4. The warehouse reads the topic once more, from the start");
        screen.say("If a message arrives twice for any reason, it has the same outbox_event_id.");
        int before = warehouse.repeated();
        warehouse.rewind();
        await("the messages to arrive again", () -> warehouse.repeated() - before >= committed.size());
    }

    /** Prints what happened, and returns whether it is what was promised. */
    private boolean summary() {
        boolean ghost = warehouse.hasProcessed(rolledBack);
        screen.heading("Summary");
        screen.row("events committed", committed.size());
        screen.row("events processed by the warehouse", warehouse.processed());
        screen.row("messages recognised as repeated, and skipped", warehouse.repeated());
        screen.row("rolled back and yet sent", ghost ? 1 : 0);
        screen.row("waited in the table during the outage", waiting.events());
        screen.row("attempts counted for the outage", waiting.attempts());
        screen.row("arrived after the broker's return within", String.format(Locale.ROOT, "%.1f s", secondsToArrive));
        screen.row("not finished in the table", pending());
        boolean asPromised = warehouse.processed() == committed.size()
                && committed.stream().allMatch(warehouse::hasProcessed)
                && !ghost
                && waiting.attempts() == 0
                && pending() == 0;
        if (asPromised) {
            screen.good("Every committed event was processed once, the rolled-back one never.");
        } else {
            screen.wrong("This is not what the outbox promises.");
        }
        return asPromised;
    }

    /** Waits until the warehouse has all events and the outbox knows. */
    private void awaitFinished() throws InterruptedException {
        await(
                "all events to be processed",
                () -> committed.stream().allMatch(warehouse::hasProcessed) && pending() == 0);
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited for " + PATIENCE.toSeconds() + " s in vain for " + what);
            }
            TimeUnit.MILLISECONDS.sleep(GLANCE_MS);
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
