package io.outbox.benchmarks;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.outbox.Outbox;
import io.outbox.redis.RedisOutbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * One business command and one event, as a transaction or as a script: by the outbox, and by hand with an append that
 * checks the id and writes event, body and entry.
 */
final class RedisTransactionBenchmark {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String ORDERS = "{outbox}:orders";
    private static final String BUSINESS = "return redis.call('INCR', KEYS[1])";
    private static final String BUSINESS_AND_APPEND = """
            local orders = redis.call('INCR', KEYS[1])
            if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 then
              redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
              redis.call('ZADD', KEYS[4], ARGV[4], ARGV[1])
            end
            return orders
            """;

    private final StatefulRedisConnection<String, String> connection;
    private final RedisOutbox redis;
    private final int count;

    RedisTransactionBenchmark(StatefulRedisConnection<String, String> connection, RedisOutbox redis, int count) {
        this.connection = connection;
        this.redis = redis;
        this.count = count;
    }

    int count() {
        return count;
    }

    private double perSecond(Runnable transaction) {
        connection.sync().flushall();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            transaction.run();
        }
        return count / ((System.nanoTime() - start) / 1e9);
    }

    double transactions() {
        try (Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            return perSecond(() -> redis.inTransaction(commands -> {
                commands.incr(ORDERS);
                outbox.writer().write("Benchmarked", RedisBenchmark.PAYLOAD);
            }));
        }
    }

    double transactionsByHand() {
        return perSecond(() -> {
            String id = UUID.randomUUID().toString();
            connection.setAutoFlushCommands(false);
            RedisAsyncCommands<String, String> commands = connection.async();
            List<RedisFuture<?>> answers = new ArrayList<>();
            answers.add(commands.multi());
            commands.incr(ORDERS);
            commands.hsetnx(RedisByHand.EVENT, id, RedisByHand.NEW);
            commands.hset(RedisByHand.BODY, id, RedisBenchmark.PAYLOAD);
            commands.zadd(RedisByHand.FREE, System.currentTimeMillis(), id);
            answers.add(commands.exec());
            connection.flushCommands();
            connection.setAutoFlushCommands(true);
            if (!LettuceFutures.awaitAll(PATIENCE, answers.toArray(RedisFuture[]::new))) {
                throw new IllegalStateException("Redis does not answer");
            }
        });
    }

    double scripts() {
        try (Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            return perSecond(() -> redis.runScript(
                    BUSINESS,
                    List.of(ORDERS),
                    List.of(),
                    () -> outbox.writer().write("Benchmarked", RedisBenchmark.PAYLOAD)));
        }
    }

    double scriptsByHand() {
        String sha = connection.sync().scriptLoad(BUSINESS_AND_APPEND);
        String[] keys = {ORDERS, RedisByHand.EVENT, RedisByHand.BODY, RedisByHand.FREE};
        return perSecond(() -> connection
                .sync()
                .evalsha(
                        sha,
                        ScriptOutputType.INTEGER,
                        keys,
                        UUID.randomUUID().toString(),
                        RedisByHand.NEW,
                        RedisBenchmark.PAYLOAD,
                        Long.toString(System.currentTimeMillis())));
    }
}
