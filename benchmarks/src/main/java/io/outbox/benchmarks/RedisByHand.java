package io.outbox.benchmarks;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * A loop that does to the same kinds of keys what the outbox does to its own, a batch at a time without waiting in
 * between. It checks nothing and is safe for nobody, so it is a limit and no alternative.
 */
abstract class RedisByHand {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int READ_BATCH = 500;
    private static final String CREATED = "1001763308705123456";
    private static final String TYPE = "Benchmarked";

    static final String NEW = CREATED + " 1763308705123456 0 0 " + TYPE;
    static final String CLAIMED = NEW + " node";
    static final String EVENT = "{by-hand}:event";
    static final String BODY = "{by-hand}:body";
    static final String FREE = "{by-hand}:free";
    static final String HELD = "{by-hand}:held";
    static final String LOCKS = "{by-hand}:locks";

    private final StatefulRedisConnection<String, String> connection;

    private RedisByHand(StatefulRedisConnection<String, String> connection) {
        this.connection = connection;
    }

    /** Returns the loop that one writes first, with commands for each event. */
    static RedisByHand eventByEvent(StatefulRedisConnection<String, String> connection) {
        return new EventByEvent(connection);
    }

    /** Returns the loop with commands for all events of a batch, the very ones that the scripts of the outbox call. */
    static RedisByHand batchByBatch(StatefulRedisConnection<String, String> connection) {
        return new BatchByBatch(connection);
    }

    abstract List<RedisFuture<?>> append(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> batch);

    abstract List<RedisFuture<?>> claim(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> page);

    abstract List<RedisFuture<?>> delete(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> page);

    final void append(int events, int batchSize) {
        for (int from = 0; from < events; from += batchSize) {
            List<ScoredValue<String>> batch = new ArrayList<>(batchSize);
            for (int i = from; i < Math.min(events, from + batchSize); i++) {
                batch.add(ScoredValue.just(i, CREATED + UUID.randomUUID()));
            }
            send(this::append, batch);
        }
    }

    final void drain() {
        List<ScoredValue<String>> page = page();
        while (!page.isEmpty()) {
            send(this::claim, page);
            send(this::delete, page);
            page = page();
        }
    }

    private List<ScoredValue<String>> page() {
        return connection.sync().zrangeWithScores(FREE, 0, READ_BATCH - 1);
    }

    /**
     * Sends the commands in one piece, with those at the end that every script which moves pending events has there.
     */
    private void send(
            BiFunction<RedisAsyncCommands<String, String>, List<ScoredValue<String>>, List<RedisFuture<?>>> step,
            List<ScoredValue<String>> batch) {
        connection.setAutoFlushCommands(false);
        RedisAsyncCommands<String, String> redis = connection.async();
        List<RedisFuture<?>> answers = step.apply(redis, batch);
        answers.add(redis.exists(FREE, HELD));
        answers.add(redis.sadd("{by-hand}:types", TYPE));
        connection.flushCommands();
        connection.setAutoFlushCommands(true);
        if (!LettuceFutures.awaitAll(PATIENCE, answers.toArray(RedisFuture[]::new))) {
            throw new IllegalStateException("Redis does not answer");
        }
    }

    static String id(ScoredValue<String> entry) {
        return entry.getValue().substring(CREATED.length());
    }

    private static final class EventByEvent extends RedisByHand {

        private EventByEvent(StatefulRedisConnection<String, String> connection) {
            super(connection);
        }

        @Override
        List<RedisFuture<?>> append(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> batch) {
            List<RedisFuture<?>> answers = new ArrayList<>();
            for (ScoredValue<String> entry : batch) {
                answers.add(redis.hexists(EVENT, id(entry)));
                answers.add(redis.hset(EVENT, id(entry), NEW));
                answers.add(redis.hset(BODY, id(entry), RedisBenchmark.PAYLOAD));
                answers.add(redis.zadd(FREE, entry.getScore(), entry.getValue()));
            }
            return answers;
        }

        @Override
        List<RedisFuture<?>> claim(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> page) {
            List<RedisFuture<?>> answers = new ArrayList<>();
            for (ScoredValue<String> entry : page) {
                answers.add(redis.hget(EVENT, id(entry)));
                answers.add(redis.hget(BODY, id(entry)));
                answers.add(redis.zrem(FREE, entry.getValue()));
                answers.add(redis.zadd(HELD, entry.getScore(), entry.getValue()));
                answers.add(redis.zadd(LOCKS, entry.getScore(), entry.getValue()));
                answers.add(redis.hset(EVENT, id(entry), CLAIMED));
            }
            return answers;
        }

        @Override
        List<RedisFuture<?>> delete(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> page) {
            List<RedisFuture<?>> answers = new ArrayList<>();
            for (ScoredValue<String> entry : page) {
                answers.add(redis.hget(EVENT, id(entry)));
                answers.add(redis.zrem(HELD, entry.getValue()));
                answers.add(redis.zrem(LOCKS, entry.getValue()));
                answers.add(redis.hdel(EVENT, id(entry)));
                answers.add(redis.hdel(BODY, id(entry)));
            }
            return answers;
        }
    }

    private static final class BatchByBatch extends RedisByHand {

        private BatchByBatch(StatefulRedisConnection<String, String> connection) {
            super(connection);
        }

        @Override
        List<RedisFuture<?>> append(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> batch) {
            List<RedisFuture<?>> answers = new ArrayList<>();
            answers.add(redis.hmget(EVENT, ids(batch)));
            answers.add(redis.zadd(FREE, entries(batch)));
            answers.add(redis.hset(EVENT, all(batch, NEW)));
            answers.add(redis.hset(BODY, all(batch, RedisBenchmark.PAYLOAD)));
            return answers;
        }

        @Override
        List<RedisFuture<?>> claim(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> page) {
            List<RedisFuture<?>> answers = new ArrayList<>();
            answers.add(redis.hmget(EVENT, ids(page)));
            answers.add(redis.hmget(BODY, ids(page)));
            answers.add(redis.zrem(FREE, members(page)));
            answers.add(redis.zadd(HELD, entries(page)));
            answers.add(redis.zadd(LOCKS, entries(page)));
            answers.add(redis.hset(EVENT, all(page, CLAIMED)));
            return answers;
        }

        @Override
        List<RedisFuture<?>> delete(RedisAsyncCommands<String, String> redis, List<ScoredValue<String>> page) {
            List<RedisFuture<?>> answers = new ArrayList<>();
            answers.add(redis.hmget(EVENT, ids(page)));
            answers.add(redis.zrem(HELD, members(page)));
            answers.add(redis.zrem(LOCKS, members(page)));
            answers.add(redis.hdel(EVENT, ids(page)));
            answers.add(redis.hdel(BODY, ids(page)));
            return answers;
        }

        private static String[] ids(List<ScoredValue<String>> batch) {
            return batch.stream().map(RedisByHand::id).toArray(String[]::new);
        }

        private static String[] members(List<ScoredValue<String>> batch) {
            return batch.stream().map(ScoredValue::getValue).toArray(String[]::new);
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private static ScoredValue<String>[] entries(List<ScoredValue<String>> batch) {
            return batch.toArray(new ScoredValue[0]);
        }

        private static Map<String, String> all(List<ScoredValue<String>> batch, String value) {
            Map<String, String> values = new LinkedHashMap<>();
            batch.forEach(entry -> values.put(id(entry), value));
            return values;
        }
    }
}
