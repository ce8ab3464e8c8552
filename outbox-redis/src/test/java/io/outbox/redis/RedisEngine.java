package io.outbox.redis;

import io.outbox.spi.OutboxBackend;
import io.outbox.testing.StoredEvent;
import io.outbox.testing.contract.EngineUnderTest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** An empty outbox on the shared server, written to alone, or in every way in turn. */
final class RedisEngine implements EngineUnderTest {

    private final String name = Redis.newName();
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final List<Way> ways;
    private final AtomicInteger calls = new AtomicInteger();

    private enum Way {
        ALONE,
        TRANSACTION,
        SCRIPT
    }

    private RedisEngine(Way... ways) {
        this.ways = List.of(ways);
    }

    static RedisEngine alone() {
        return new RedisEngine(Way.ALONE);
    }

    static RedisEngine inEveryWay() {
        return new RedisEngine(Way.values());
    }

    @Override
    public OutboxBackend backend() {
        return redis.backend();
    }

    @Override
    public void inTransaction(Runnable work) {
        switch (ways.get(calls.getAndIncrement() % ways.size())) {
            case ALONE -> work.run();
            case TRANSACTION -> redis.inTransaction(commands -> work.run());
            case SCRIPT -> redis.runScript("return 1", List.of(), List.of(), work);
        }
    }

    @Override
    public Optional<StoredEvent> find(String eventId) {
        return StoredEvents.find(Redis.commands(), name, eventId);
    }

    /** Checks what is stored, once a test has done to it what it could. */
    @Override
    public void close() {
        Layout.of(Redis.commands(), name).assertConsistent();
        redis.close();
    }
}
