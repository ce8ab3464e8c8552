package io.outbox.soak.node;

import io.lettuce.core.RedisURI;
import io.outbox.Outbox;
import io.outbox.Outbox.MultiNodeBuilder;
import io.outbox.redis.RedisOutbox;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Redis, written to in each of the three ways in turn. */
final class RedisEngine implements Engine {

    private static final String BUSINESS = "{outbox}:transactions";
    private static final String SCRIPT = "redis.call('INCR', KEYS[1]) return ARGV[1] == 'yes'";

    private final RedisOutbox redis;
    private final AtomicInteger turn = new AtomicInteger();

    RedisEngine(String url) {
        this.redis = RedisOutbox.connect(RedisURI.create(url));
    }

    @Override
    public MultiNodeBuilder outbox() {
        return Outbox.multiNode().backend(redis.backend()).wakeUp(redis.wakeUp());
    }

    /** Believes what the engine itself says about the end, so that the judge finds out if that was wrong. */
    @Override
    public TransactionEnd transact(Runnable write, Course course) {
        if (Course.ERRORS.contains(course)) {
            throw new UnsupportedOperationException("Redis has neither locks nor savepoints: " + course);
        }
        boolean rollBack = course == Course.ROLL_BACK;
        AtomicReference<TransactionEnd> end = new AtomicReference<>(TransactionEnd.ROLLED_BACK);
        Runnable writeAndListen = () -> {
            redis.backend().afterCompletion(told -> end.set(TransactionEnd.valueOf(told.name())));
            write.run();
        };
        try {
            switch (turn.getAndIncrement() % 3) {
                case 0 -> withCommands(writeAndListen, rollBack);
                case 1 -> withScript(writeAndListen, rollBack);
                default -> {
                    return rollBack ? TransactionEnd.ROLLED_BACK : alone(write);
                }
            }
        } catch (RuntimeException e) {
            return end.get();
        }
        return end.get();
    }

    private void withCommands(Runnable write, boolean rollBack) {
        redis.inTransaction(commands -> {
            commands.incr(BUSINESS);
            write.run();
            if (rollBack) {
                throw new IllegalStateException("the business has changed its mind");
            }
        });
    }

    private void withScript(Runnable write, boolean rollBack) {
        redis.runScript(SCRIPT, List.of(BUSINESS), List.of(rollBack ? "no" : "yes"), write);
    }

    private static TransactionEnd alone(Runnable write) {
        try {
            write.run();
            return TransactionEnd.COMMITTED;
        } catch (RuntimeException e) {
            return TransactionEnd.UNKNOWN;
        }
    }

    @Override
    public OptionalLong nextNumber(String key) {
        return OptionalLong.empty();
    }

    @Override
    public void exhaust() {
        throw new UnsupportedOperationException("The connection of Redis is shared");
    }

    @Override
    public void free() {
        throw new UnsupportedOperationException("The connection of Redis is shared");
    }

    @Override
    public void close() {
        redis.close();
    }
}
