package io.outbox.samples.redis;

import io.lettuce.core.RedisURI;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.redis.RedisOutbox;
import io.outbox.redis.RedisOutboxException;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogManager;

/**
 * An outbox in Redis in half a minute: three ways to write an event, and a server that is killed under load and loses
 * nothing that it had acknowledged. Starts a server of its own.
 */
public final class RedisDemo {

    private static final int ORDERS = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();

    private RedisDemo() {}

    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().reset(); // the outage is shown, and not what the log says about it
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always")) {
            new RedisDemo().run(server);
        }
    }

    private void run(RedisServer server) throws Exception {
        RedisURI uri = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(server.port())
                .withPassword(server.password().toCharArray())
                .withTimeout(Duration.ofSeconds(2))
                .build();
        try (RedisOutbox redis = RedisOutbox.connect(uri);
                Outbox outbox = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .claimLocking(Duration.ofSeconds(10))
                        .purgeRetention(Duration.ZERO)
                        .intervalMs(100)
                        .listenerRegistry(listeners())
                        .build()) {
            Shop shop = new Shop(redis, outbox.writer());
            threeWays(shop);
            int acknowledged = killTheServer(server, shop);
            awaitDeliveries(outbox);
            summary(acknowledged);
        }
    }

    private DefaultListenerRegistry listeners() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        for (String type : new String[] {"ShopVisited", "OrderPlaced", "StockTaken"}) {
            listeners.register(type, this::deliver);
        }
        return listeners;
    }

    private DispatchResult deliver(EventEnvelope event) {
        if (deliveries.size() < 3) {
            say("  delivered: " + event.eventType() + " " + event.payloadJson());
        }
        deliveries.merge(event.eventId(), 1, Integer::sum);
        return DispatchResult.done();
    }

    private void threeWays(Shop shop) throws InterruptedException {
        say("1. An event alone:");
        shop.visit("Ada");
        await(1);
        say("2. An order and its event, as one MULTI/EXEC:");
        shop.place("first");
        await(2);
        say("3. A script and its event, as one EVAL:");
        shop.restock(5);
        say("  take 3 of 5: " + (shop.take(3) ? "taken" : "refused"));
        await(3);
        say("  take 3 of 2: " + (shop.take(3) ? "taken" : "refused, and no event"));
    }

    /** Places orders while the server dies and comes back; returns how many were acknowledged. */
    private static int killTheServer(RedisServer server, Shop shop) throws InterruptedException {
        say("4. " + ORDERS + " orders, and Redis is killed meanwhile:");
        AtomicInteger acknowledged = new AtomicInteger();
        Thread customers = new Thread(() -> {
            for (int i = 0; acknowledged.get() < ORDERS; i++) {
                try {
                    shop.place("order-" + i);
                    acknowledged.incrementAndGet();
                } catch (RedisOutboxException e) {
                    pause();
                }
            }
        });
        customers.start();
        while (acknowledged.get() < ORDERS / 3) {
            pause();
        }
        server.kill();
        say("  killed after " + acknowledged.get() + " orders");
        server.restart();
        customers.join();
        return acknowledged.get();
    }

    private static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(int count) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (deliveries.size() < count && System.nanoTime() < end) {
            Thread.sleep(1);
        }
    }

    private static void awaitDeliveries(Outbox outbox) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!outbox.counts().isEmpty() && System.nanoTime() < end) {
            Thread.sleep(50);
        }
    }

    private void summary(int acknowledged) {
        int orders = deliveries.size() - 3;
        long twice = deliveries.values().stream().filter(times -> times > 1).count();
        say("  acknowledged " + acknowledged + ", delivered " + orders + ", more than once " + twice);
        if (orders < acknowledged) {
            throw new IllegalStateException("Events were lost");
        }
        say("Nothing was lost.");
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
