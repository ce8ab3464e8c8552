package io.outbox.redis;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Writers that go on whatever happens to Redis, and a listener that counts. They write in all three ways in turn; with
 * an order, the id of the event is put into a set of orders as well. Every second event has a key, which is that of its
 * writer. A write that failed is given up, as an application would.
 */
final class Load {

    static final String EVENT_TYPE = "Loaded";

    private static final long THINK_NANOS = 3_000_000;
    private static final long LISTENER_NANOS = 2_000_000;
    private static final String ADD_ORDER = "return redis.call('SADD', KEYS[1], ARGV[1])";

    private final String orders;
    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();
    private final Map<String, List<Integer>> numbersByKey = new ConcurrentHashMap<>();
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final Set<String> withOrder = ConcurrentHashMap.newKeySet();
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failedWrites = new AtomicInteger();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    Load(String name) {
        this.orders = "{" + name + "}:orders";
    }

    void start(int writers, RedisOutbox redis, OutboxWriter writer) {
        for (int i = 0; i < writers; i++) {
            Thread thread = new Thread(() -> writeUntilStopped(redis, writer), "load-" + threads.size());
            threads.add(thread);
            thread.start();
        }
    }

    private void writeUntilStopped(RedisOutbox redis, OutboxWriter writer) {
        try {
            for (int i = 0; !stopping.get(); i++) {
                EventEnvelope event = EventEnvelope.builder(EVENT_TYPE)
                        .aggregateId(i % 2 == 0 ? null : Thread.currentThread().getName())
                        .payloadJson(Integer.toString(i))
                        .build();
                try {
                    write(i % 3, event, redis, writer);
                    acknowledged.add(event.eventId());
                } catch (RedisOutboxException e) {
                    failedWrites.incrementAndGet();
                    if (e.effect() == RedisOutboxException.Effect.NONE) {
                        refused.add(event.eventId());
                    }
                }
                LockSupport.parkNanos(THINK_NANOS);
            }
        } catch (Throwable e) {
            unexpected.add(e);
        }
    }

    private void write(int way, EventEnvelope event, RedisOutbox redis, OutboxWriter writer) {
        String id = event.eventId();
        if (way == 0) {
            writer.write(event);
            return;
        }
        withOrder.add(id);
        if (way == 1) {
            redis.inTransaction(commands -> {
                commands.sadd(orders, id);
                writer.write(event);
            });
        } else {
            redis.runScript(ADD_ORDER, List.of(orders), List.of(id), () -> writer.write(event));
        }
    }

    EventListener listener() {
        return event -> {
            deliveries.merge(event.eventId(), 1, Integer::sum);
            if (event.key() != null) {
                numbersByKey
                        .computeIfAbsent(event.key(), key -> Collections.synchronizedList(new ArrayList<>()))
                        .add(Integer.parseInt(event.payloadJson()));
            }
            LockSupport.parkNanos(LISTENER_NANOS);
            return DispatchResult.done();
        };
    }

    void stop() throws InterruptedException {
        stopping.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Returns the key of the set of orders. */
    String orders() {
        return orders;
    }

    /** Returns the events that were to have an order, stored or not. */
    Set<String> withOrder() {
        return withOrder;
    }

    /** Returns how often each event reached the listener. */
    Map<String, Integer> deliveries() {
        return deliveries;
    }

    /**
     * Returns, for each key, the numbers of its events as they reached the listener; each writer has numbered its own.
     */
    Map<String, List<Integer>> numbersByKey() {
        return numbersByKey;
    }

    int delivered() {
        return deliveries.size();
    }

    /** Returns the events whose write was confirmed. */
    Queue<String> acknowledged() {
        return acknowledged;
    }

    /** Returns the events whose write is said to have changed nothing. */
    Set<String> refused() {
        return refused;
    }

    int failedWrites() {
        return failedWrites.get();
    }

    /** Fails if a writer met something that is no failure of Redis. */
    void requireRunning() {
        for (Throwable e : unexpected) {
            throw new AssertionError("A writer failed", e);
        }
    }
}
