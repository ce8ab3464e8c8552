package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Live traffic: threads that commit one business row per transaction, with and without an event beside it. */
final class TrafficBenchmark {

    private static final int THREADS = 4;
    private static final int MAX_SAMPLES = 2_000_000;

    private final Database database;
    private final int seconds;

    TrafficBenchmark(Database database, int seconds) {
        this.database = database;
        this.seconds = seconds;
    }

    record Result(double committedPerSecond, double deliveredPerSecond, double p50Ms, double p99Ms, double maxMs) {}

    private interface Transactional {
        void run() throws SQLException;
    }

    void warmUp() throws Exception {
        withoutOutbox();
        withOutbox(0);
    }

    double withoutOutbox() throws Exception {
        database.reset();
        database.settle();
        long start = System.nanoTime();
        long committed = traffic(0, () -> {
            try (Connection conn = database.connection()) {
                conn.setAutoCommit(false);
                insertBusinessRow(conn);
                conn.commit();
            }
        });
        return committed / ((System.nanoTime() - start) / 1e9);
    }

    /** Runs the traffic with an event per transaction, at the given rate per second or, with 0, as fast as it goes. */
    Result withOutbox(int rate) throws Exception {
        database.reset();
        database.settle();
        Map<String, Long> committedAt = new ConcurrentHashMap<>();
        long[] latencies = new long[MAX_SAMPLES];
        AtomicInteger samples = new AtomicInteger();
        AtomicLong delivered = new AtomicLong();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("Benchmarked", event -> {
            long now = System.nanoTime();
            delivered.incrementAndGet();
            Long since = committedAt.remove(event.eventId());
            int sample = since == null ? MAX_SAMPLES : samples.getAndIncrement();
            if (sample < MAX_SAMPLES) {
                latencies[sample] = now - since;
            }
            return DispatchResult.done();
        });
        long start = System.nanoTime();
        try (Outbox outbox = Outbox.singleNode()
                .backend(database.jdbc().backend())
                .listenerRegistry(listeners)
                .build()) {
            long committed = traffic(rate, () -> {
                try (Transaction tx = database.jdbc().begin()) {
                    insertBusinessRow(tx.connection());
                    EventEnvelope event = EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD);
                    if (rate > 0) {
                        // registered before the write, so it runs first once the commit is through
                        database.jdbc()
                                .txContext()
                                .afterCommit(() -> committedAt.put(event.eventId(), System.nanoTime()));
                    }
                    outbox.writer().write(event);
                    tx.commit();
                }
            });
            double elapsed = (System.nanoTime() - start) / 1e9;
            long deliveredInTime = delivered.get();
            long[] sorted = Arrays.copyOf(latencies, Math.min(samples.get(), MAX_SAMPLES));
            Arrays.sort(sorted);
            return new Result(
                    committed / elapsed,
                    deliveredInTime / elapsed,
                    percentile(sorted, 0.50),
                    percentile(sorted, 0.99),
                    percentile(sorted, 1));
        }
    }

    private long traffic(int rate, Transactional transaction) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long pauseNanos = rate == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) * THREADS / rate;
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            long committed = 0;
            for (Future<Long> thread : IntStream.range(0, THREADS)
                    .mapToObj(i -> threads.submit(() -> {
                        long count = 0;
                        for (long next = System.nanoTime(); next < end; next += pauseNanos) {
                            if (pauseNanos == 0) {
                                next = System.nanoTime();
                            } else {
                                LockSupport.parkNanos(next - System.nanoTime());
                            }
                            transaction.run();
                            count++;
                        }
                        return count;
                    }))
                    .toList()) {
                committed += thread.get();
            }
            return committed;
        } finally {
            threads.shutdown();
        }
    }

    private static void insertBusinessRow(Connection conn) throws SQLException {
        try (PreparedStatement insert = conn.prepareStatement("INSERT INTO business (name) VALUES (?)")) {
            insert.setString(1, "an order of a customer");
            insert.executeUpdate();
        }
    }

    private static double percentile(long[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e6;
    }
}
