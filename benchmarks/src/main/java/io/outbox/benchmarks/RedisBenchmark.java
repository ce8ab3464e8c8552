package io.outbox.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.redis.RedisOutbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.NewEvent;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Appends and drains events in Redis: by the outbox, and by hand. */
final class RedisBenchmark implements AutoCloseable {

    static final int PAYLOAD_BYTES = 200;
    static final String PAYLOAD = "\"" + "x".repeat(PAYLOAD_BYTES - 2) + "\"";
    static final int WRITE_BATCH = 100;

    private static final String TYPE = "Benchmarked";
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final int events;
    private final RedisURI uri;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisOutbox redis;

    RedisBenchmark(RedisServer server, int events) {
        this.events = events;
        this.uri = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(server.port())
                .withPassword(server.password().toCharArray())
                .build();
        this.client = RedisClient.create(uri);
        this.connection = client.connect();
        this.redis = RedisOutbox.connect(uri);
    }

    RedisByHand eventByEvent() {
        return RedisByHand.eventByEvent(connection);
    }

    RedisByHand batchByBatch() {
        return RedisByHand.batchByBatch(connection);
    }

    int events() {
        return events;
    }

    RedisTransactionBenchmark transactions(int count) {
        return new RedisTransactionBenchmark(connection, redis, count);
    }

    private double perSecond(long startNanos) {
        return events / ((System.nanoTime() - startNanos) / 1e9);
    }

    private void clear() {
        connection.sync().flushall();
    }

    // Append

    double append() {
        clear();
        try (Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            long start = System.nanoTime();
            for (int from = 0; from < events; from += WRITE_BATCH) {
                outbox.writer().writeAll(batch(from));
            }
            return perSecond(start);
        }
    }

    private List<EventEnvelope> batch(int from) {
        List<EventEnvelope> batch = new ArrayList<>(WRITE_BATCH);
        for (int i = from; i < Math.min(events, from + WRITE_BATCH); i++) {
            batch.add(EventEnvelope.ofJson(TYPE, PAYLOAD));
        }
        return batch;
    }

    double appendByHand(RedisByHand loop) {
        clear();
        long start = System.nanoTime();
        loop.append(events, WRITE_BATCH);
        return perSecond(start);
    }

    // Drain

    double drain() throws InterruptedException {
        append();
        CountDownLatch delivered = new CountDownLatch(events);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(TYPE, event -> {
            delivered.countDown();
            return DispatchResult.done();
        });
        long start = System.nanoTime();
        Outbox outbox = Outbox.multiNode()
                .backend(redis.backend())
                .claimLocking(Duration.ofMinutes(5))
                .purgeRetention(Duration.ZERO)
                .listenerRegistry(listeners)
                .build();
        try (outbox) {
            if (!delivered.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(delivered.getCount() + " events were not delivered");
            }
            while (!outbox.counts().isEmpty()) {
                Thread.onSpinWait();
            }
            return perSecond(start);
        }
    }

    double drainByHand(RedisByHand loop) {
        appendByHand(loop);
        long start = System.nanoTime();
        loop.drain();
        return perSecond(start);
    }

    // Latency

    /**
     * Returns the times from the append by an outbox that only writes to a listener elsewhere, in milliseconds, in
     * order.
     */
    List<Double> wakeUpMillis(int count) throws InterruptedException {
        clear();
        BlockingQueue<Long> deliveries = new LinkedBlockingQueue<>();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(TYPE, event -> {
            deliveries.add(System.nanoTime());
            return DispatchResult.done();
        });
        List<Double> millis = new ArrayList<>();
        try (RedisOutbox elsewhere = RedisOutbox.connect(uri);
                Outbox delivering = Outbox.multiNode()
                        .backend(elsewhere.backend())
                        .wakeUp(elsewhere.wakeUp())
                        .claimLocking(Duration.ofMinutes(5))
                        .purgeRetention(Duration.ZERO)
                        .listenerRegistry(listeners)
                        .build();
                Outbox writing = Outbox.writerOnly()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .build()) {
            for (int i = 0; i < 2 * count && delivering.state() == State.RUNNING; i++) {
                long start = System.nanoTime();
                writing.writer().write(TYPE, PAYLOAD);
                long end = deliveries.take();
                if (i >= count) {
                    millis.add((end - start) / 1e6);
                }
                Thread.sleep(20);
            }
        }
        Collections.sort(millis);
        return millis;
    }

    // Memory

    /** Returns how much memory each of the events takes, held by a node or not. */
    double bytesPerEvent(boolean held) {
        clear();
        long before = usedMemory();
        for (int from = 0; from < events; from += WRITE_BATCH) {
            redis.backend()
                    .persist(batch(from).stream()
                            .map(event -> new NewEvent(event, held ? "node" : null))
                            .toList());
        }
        return (usedMemory() - before) / (double) events;
    }

    private long usedMemory() {
        return connection
                .sync()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring("used_memory:".length()).strip()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        redis.close();
        client.shutdown();
    }
}
