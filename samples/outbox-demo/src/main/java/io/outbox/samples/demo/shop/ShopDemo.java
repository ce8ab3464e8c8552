package io.outbox.samples.demo.shop;

import io.outbox.samples.demo.screen.Screen;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Opens a shop, shows where its dashboard is and a line of figures, and closes it on Ctrl-C or SIGTERM. */
public final class ShopDemo {

    /** Where the dashboard is, unless somebody else is there already. */
    private static final int PORT = 8090;

    private static final Duration REFRESHED = Duration.ofSeconds(1);
    private static final Duration REFRESHED_IN_A_FILE = Duration.ofSeconds(5);

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile int exitCode = 1;

    private ShopDemo() {}

    /** Returns once the user has stopped the demo. */
    public static void run(Screen screen) throws Exception {
        new ShopDemo().show(screen);
    }

    private void show(Screen screen) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "demo-stop"));
        try (OpenShop shop = OpenShop.open(PORT)) {
            introduce(screen, shop);
            Duration refreshed = screen.isTerminal() ? REFRESHED : REFRESHED_IN_A_FILE;
            do {
                screen.figures("%s", shop.figures());
            } while (!stopped.await(refreshed.toMillis(), TimeUnit.MILLISECONDS));
            screen.did("stopping: customers go home, and pending work is delivered");
            shop.stop();
            screen.figures("%s", shop.figures());
            screen.good("stopped; %s", shop.leftBehind());
            exitCode = 0;
        } finally {
            closed.countDown();
        }
    }

    private static void introduce(Screen screen, OpenShop shop) {
        screen.heading("A shop with a transactional outbox, on an embedded H2 database");
        screen.say("Customers order, and every order is an event for payment, carrier, invoicing and mail.");
        if (shop.address().getPort() != PORT) {
            screen.trouble("Port %d is taken, so this time the dashboard has another one.", PORT);
        }
        screen.good(
                "Dashboard: http://127.0.0.1:%d/outbox-admin/", shop.address().getPort());
        screen.did("Stop with Ctrl-C. There is trouble, and something to do about it under dead letters:");
        screen.did("  - payments time out: replay them, the next time will do");
        screen.did("  - invoices go to a country without a tax rate: edit the country, to DE");
        screen.did("  - cards are declined: nothing helps, resolve them");
        screen.did("  - the carrier is down now and then: its parcels wait, without failing");
    }

    /** Runs when the process is asked to end. It does so once the shop is closed: with 0, since that is how it ends. */
    private void stop() {
        stopped.countDown();
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(exitCode);
    }
}
