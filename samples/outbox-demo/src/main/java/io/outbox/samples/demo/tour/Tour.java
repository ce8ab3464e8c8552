package io.outbox.samples.demo.tour;

import static io.outbox.samples.demo.tour.Shop.event;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.model.FailureText;
import io.outbox.model.OutboxEvent;
import io.outbox.samples.demo.screen.Screen;
import io.outbox.samples.demo.tour.Shop.Order;
import io.outbox.samples.demo.tour.Shop.Placed;
import io.outbox.spi.JsonCodec;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The outbox in a minute: a shop writes events in its transactions, and the viewer sees what becomes of them when all
 * goes well, when a listener fails, and when a process is killed. It ends by itself.
 */
public final class Tour {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration DELAY = Duration.ofMillis(1500);
    private static final int MAX_ATTEMPTS = 3;
    private static final int ORDERS = 300;

    private final Screen screen;
    private final DemoDatabase database;
    private final Outbox outbox;
    private final Shop shop;
    private final Listeners listeners;
    private final Deliveries deliveries;
    private final Counters counters;
    private int written;
    private String rolledBack;
    private double medianMs;
    private long takenOver;

    private Tour(Screen screen, DemoDatabase database, JdbcOutbox jdbc) {
        this.screen = screen;
        this.database = database;
        this.deliveries = new Deliveries();
        this.counters = new Counters();
        this.listeners = new Listeners(screen, deliveries);
        this.outbox = Outbox.multiNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners.registry())
                .claimLocking("node-1", LEASE)
                .maxAttempts(MAX_ATTEMPTS)
                .retryPolicy(new ExponentialBackoffRetryPolicy(200, 2_000))
                .intervalMs(250)
                .metrics(counters)
                .build();
        this.shop = new Shop(jdbc, outbox.writer());
    }

    /** Shows everything on the screen, and returns whether it went as the outbox promises. */
    public static boolean run(Screen screen) throws Exception {
        screen.heading("Transactional outbox, on an embedded H2 database");
        screen.say(
                "An event is stored in the transaction that changes the business data, and delivered after the commit.");
        try (DemoDatabase database = DemoDatabase.create()) {
            JdbcOutbox jdbc = database.outboxParts().createSchema();
            Shop.createTable(jdbc);
            return new Tour(screen, database, jdbc).run();
        }
    }

    private boolean run() throws Exception {
        try (outbox) {
            transactions();
            hotPath();
            retry();
            delay();
            deadLetter();
            crash();
            return summary();
        }
    }

    private void transactions() throws Exception {
        screen.heading("1. Two orders are committed, one is rolled back");
        for (int number : List.of(1, 2)) {
            Order order = new Order(number, "lamp");
            Placed placed = place(order, event(Listeners.ORDER_PLACED, order));
            screen.did("order %d: INSERT INTO orders, write(OrderPlaced), COMMIT", number);
            screen.good("order %d: OrderPlaced delivered %.1f ms later", number, msUntilDelivered(placed));
        }
        Order regretted = new Order(3, "lamp");
        rolledBack = shop.placeAndRollBack(regretted, event(Listeners.ORDER_PLACED, regretted));
        screen.did("order 3: INSERT INTO orders, write(OrderPlaced), ROLLBACK");
        int rows = database.count("SELECT COUNT(*) FROM outbox_event WHERE event_id = ?", rolledBack);
        screen.good("order 3: %d rows in the outbox table, nothing to deliver", rows);
    }

    private void hotPath() throws Exception {
        screen.heading("2. The hot path: delivery starts with the commit, not with the next poll");
        List<Double> latencies = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            Order order = new Order(1000 + i, "chair");
            latencies.add(msUntilDelivered(place(order, event(Listeners.ORDER_PLACED, order))));
        }
        latencies.sort(null);
        medianMs = latencies.get(ORDERS / 2);
        screen.did("%d orders, one transaction each", ORDERS);
        screen.good(
                "from the start of COMMIT to the listener: median %.2f ms, slowest %.1f ms",
                medianMs, latencies.get(ORDERS - 1));
    }

    private void retry() throws Exception {
        screen.heading("3. A listener fails: the event is delivered again, later each time");
        Order order = new Order(4, "desk");
        Placed placed = place(order, event(Listeners.PAYMENT_REQUESTED, order));
        deliveries.await(placed.eventId());
    }

    private void delay() throws Exception {
        screen.heading("4. A delayed event");
        Order order = new Order(5, "sofa");
        long writtenAt = System.nanoTime();
        EventEnvelope reminder = EventEnvelope.builder(Listeners.REMINDER)
                .payloadJson(JsonCodec.getDefault().toJson(order))
                .deliverAfter(DELAY)
                .build();
        Placed placed = place(order, reminder);
        screen.did("PaymentReminder written with deliverAfter(%d ms)", DELAY.toMillis());
        double delayMs = (deliveries.await(placed.eventId()) - writtenAt) / 1e6;
        screen.good("delivered %.0f ms after it was written", delayMs);
    }

    private void deadLetter() throws Exception {
        screen.heading("5. A dead letter, and its replay");
        Order order = new Order(6, "bed");
        Placed placed = place(order, event(Listeners.INVOICE_REQUESTED, order));
        counters.awaitDead();
        for (OutboxEvent dead : outbox.deadEvents().query(null, null, 10)) {
            screen.did("after %d attempts the event is DEAD: %s", dead.attempts(), lastError(dead));
        }
        screen.did("the bug is fixed, an operator calls replay(eventId)");
        listeners.repairInvoicing();
        outbox.deadEvents().replay(placed.eventId());
        deliveries.await(placed.eventId());
        screen.good("delivered; dead letters left: %d", outbox.deadEvents().count(null));
    }

    private String lastError(OutboxEvent dead) throws SQLException {
        String stored = database.query("SELECT last_error FROM outbox_event WHERE event_id = ?", dead.eventId())
                .get(0);
        return FailureText.of(stored).exception();
    }

    private void crash() throws Exception {
        screen.heading("6. A process is killed while it works");
        List<String> parcels;
        long killedAt;
        try (SecondProcess second = SecondProcess.start(database.url(), LEASE)) {
            second.awaitBusy();
            parcels = database.query("SELECT event_id FROM outbox_event WHERE event_type = ?", DoomedNode.EVENT_TYPE);
            screen.did(
                    "a second process (pid %d) wrote %d events: %d are with its listener, %d in its queue",
                    second.pid(), parcels.size(), DoomedNode.WORKERS, parcels.size() - DoomedNode.WORKERS);
            killedAt = System.nanoTime();
            screen.trouble("kill -9 %d: exit code %d", second.pid(), second.kill());
        }
        written += parcels.size();
        screen.did(
                "its locks in the rows last %d s more, then the poller of this process takes over", LEASE.toSeconds());
        deliveries.awaitAll(parcels);
        takenOver = parcels.stream().filter(deliveries::contains).count();
        screen.good("%d of %d delivered %.1f s after the kill", takenOver, parcels.size(), msSince(killedAt) / 1000);
    }

    /** Prints what happened, and returns whether it is what was promised. */
    private boolean summary() throws SQLException {
        outbox.close();
        int pending = database.count("SELECT COUNT(*) FROM outbox_event WHERE status <> 1");
        screen.heading("Summary");
        screen.row("events committed", text(written), "");
        screen.row("events delivered", text(deliveries.size()), "");
        screen.row("delivered twice", text(deliveries.repeated()), "");
        screen.row("rolled back and yet delivered", text(deliveries.contains(rolledBack) ? 1 : 0), "");
        screen.row("not finished in the table", text(pending), "");
        screen.row("queued by the commit / by the poller", counters.hot() + " / " + counters.cold(), "");
        screen.row("failed attempts that were retried", text(counters.failures()), "scenes 3 and 5");
        screen.row("dead letters / replayed", counters.dead() + " / 1", "scene 5");
        screen.row("taken over from the killed process", text(takenOver), "scene 6");
        screen.row("commit to listener, median", String.format(Locale.ROOT, "%.2f ms", medianMs), "scene 2");
        boolean asPromised = deliveries.size() == written
                && deliveries.repeated() == 0
                && !deliveries.contains(rolledBack)
                && pending == 0
                && takenOver == DoomedNode.EVENTS;
        if (asPromised) {
            screen.good("Every committed event was delivered once, the rolled-back one never.");
        } else {
            screen.wrong("This is not what the outbox promises.");
        }
        return asPromised;
    }

    private Placed place(Order order, EventEnvelope event) {
        written++;
        return shop.place(order, event);
    }

    private double msUntilDelivered(Placed placed) throws InterruptedException {
        return (deliveries.await(placed.eventId()) - placed.committedAt()) / 1e6;
    }

    private static double msSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e6;
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}
