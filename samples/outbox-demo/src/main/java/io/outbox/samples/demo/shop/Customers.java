package io.outbox.samples.demo.shop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The traffic: a crowd at the opening, then about five orders a second, sometimes more and sometimes less. Every order
 * makes five events.
 */
final class Customers implements AutoCloseable {

    private static final int CROWD = 200;
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration TIDE = Duration.ofMinutes(2);

    private static final List<String> NAMES = List.of("ada", "bert", "chloe", "dan", "emma", "felix", "grace", "hugo");
    private static final List<String> ITEMS = List.of("lamp", "chair", "desk", "sofa", "bed", "shelf");
    private static final List<String> COUNTRIES = List.of("DE", "FR", "IT", "US");
    private static final String COUNTRY_WITHOUT_TAX = "CH";

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Orders orders;
    private final Troubles troubles;
    private final long openedAt = System.nanoTime();
    private int number;

    private Customers(Orders orders, Troubles troubles) {
        this.orders = orders;
        this.troubles = troubles;
    }

    static Customers send(Orders orders, Troubles troubles) {
        Customers customers = new Customers(orders, troubles);
        customers.thread.execute(() -> customers.order(CROWD));
        customers.thread.scheduleAtFixedRate(customers::come, 0, STEP.toMillis(), TimeUnit.MILLISECONDS);
        return customers;
    }

    private void come() {
        double tide = Math.sin(2 * Math.PI * (System.nanoTime() - openedAt) / TIDE.toNanos());
        if (Troubles.chance(0.5 + 0.3 * tide)) {
            order(1);
        }
    }

    private void order(int orderCount) {
        for (int i = 0; i < orderCount && !thread.isShutdown(); i++) {
            orders.place(next());
        }
    }

    private Order next() {
        String name = any(NAMES) + "-" + ThreadLocalRandom.current().nextInt(1_000);
        String country = troubles.isDoomed(0.02) ? COUNTRY_WITHOUT_TAX : any(COUNTRIES);
        int affordable = ThreadLocalRandom.current().nextInt(500, Services.CARD_LIMIT_CENTS);
        int cents = troubles.isDoomed(0.02) ? affordable + Services.CARD_LIMIT_CENTS : affordable;
        return new Order(++number, name, any(ITEMS), country, cents);
    }

    private static String any(List<String> choices) {
        return choices.get(ThreadLocalRandom.current().nextInt(choices.size()));
    }

    /** Lets nobody in any more, and waits for who is at the desk. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
