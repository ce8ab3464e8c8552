package io.outbox.samples.demo.tour;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.samples.demo.tour.Shop.Order;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * The second node of the demo, a process of its own that shares the database: it writes events, begins to work on them,
 * never finishes, and is killed.
 */
final class DoomedNode {

    static final String NAME = "node-2";
    static final String EVENT_TYPE = "ParcelShipped";
    static final int EVENTS = 5;
    static final int WORKERS = 2;

    /** What the node prints once it works on as many events as it has workers. */
    static final String READY = "busy";

    private DoomedNode() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        CountDownLatch busy = new CountDownLatch(WORKERS);
        CountDownLatch never = new CountDownLatch(1);
        EventListener slow = event -> {
            busy.countDown();
            never.await();
            throw new AssertionError("not reached");
        };
        JdbcOutbox jdbc = JdbcOutbox.of(DemoDatabase.connect(args[0]));
        Outbox outbox = Outbox.multiNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry().register(EVENT_TYPE, slow))
                .claimLocking(NAME, Duration.ofMillis(Long.parseLong(args[1])))
                .workerCount(WORKERS)
                .build();
        writeEvents(jdbc, outbox.writer());
        busy.await();
        System.out.println(READY);
        exitWithParent();
    }

    private static void writeEvents(JdbcOutbox jdbc, OutboxWriter writer) {
        try (Transaction tx = jdbc.begin()) {
            writer.writeAll(
                    IntStream.range(0, EVENTS).mapToObj(DoomedNode::event).toList());
            tx.commit();
        }
    }

    private static EventEnvelope event(int i) {
        return Shop.event(EVENT_TYPE, new Order(3001 + i, "parcel"));
    }

    /** Waits until killed, or until the parent is gone and with it the other end of standard input. */
    private static void exitWithParent() throws IOException {
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(1);
    }
}
