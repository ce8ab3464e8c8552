package io.outbox.redis;

import io.lettuce.core.RedisURI;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Writes large events and delivers them; the listener waits until all are written. Ends with failure on any error of
 * the JVM, and if an event comes twice.
 */
final class LargeEventsMain {

    private static final String TYPE = "Large";
    private static final int PAYLOAD = 1_000_000;

    private LargeEventsMain() {}

    /**
     * Arguments: address, name of the outbox, whether it is one of several nodes, whether events are there before it,
     * how many are written in one transaction, and how many there are.
     */
    public static void main(String[] args) throws Exception {
        boolean several = Boolean.parseBoolean(args[2]);
        boolean before = Boolean.parseBoolean(args[3]);
        int together = Integer.parseInt(args[4]);
        int events = Integer.parseInt(args[5]);
        try (RedisOutbox redis =
                RedisOutbox.builder(RedisURI.create(args[0])).name(args[1]).connect()) {
            if (before) {
                try (Outbox writing =
                        Outbox.writerOnly().backend(redis.backend()).build()) {
                    write(redis, writing, together, events);
                }
            }
            deliver(redis, several, before, together, events);
        }
        System.exit(0);
    }

    /** Writes events alone, or several in each transaction. */
    private static void write(RedisOutbox redis, Outbox outbox, int together, int events) {
        for (int i = 0; i < events; i += together) {
            if (together == 1) {
                write(outbox, 1);
            } else {
                redis.inTransaction(commands -> write(outbox, together));
            }
        }
    }

    private static void write(Outbox outbox, int events) {
        for (int i = 0; i < events; i++) {
            outbox.writer().write(TYPE, '"' + "x".repeat(PAYLOAD) + '"');
        }
    }

    private static void deliver(RedisOutbox redis, boolean several, boolean before, int together, int events)
            throws InterruptedException {
        CountDownLatch written = new CountDownLatch(before ? 0 : 1);
        CountDownLatch left = new CountDownLatch(events);
        Set<String> delivered = ConcurrentHashMap.newKeySet();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(TYPE, event -> {
            written.await();
            if (!delivered.add(event.eventId())) {
                System.exit(1);
            }
            left.countDown();
            return DispatchResult.done();
        });
        Outbox.AbstractBuilder<?> builder =
                several ? Outbox.multiNode().claimLocking("node", Duration.ofMinutes(1)) : Outbox.singleNode();
        try (Outbox outbox =
                builder.backend(redis.backend()).listenerRegistry(listeners).build()) {
            if (!before) {
                write(redis, outbox, together, events);
                written.countDown();
            }
            left.await();
        }
    }
}
