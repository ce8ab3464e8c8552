package io.outbox.redis;

import io.outbox.spi.OutboxBackend;
import io.outbox.testing.StoredEvent;
import io.outbox.testing.contract.EngineUnderTest;
import java.util.Optional;

/** An empty outbox on the shared server, written to alone or in transactions. */
final class RedisEngine implements EngineUnderTest {

    private final String name = Redis.newName();
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final boolean inTransactions;

    private RedisEngine(boolean inTransactions) {
        this.inTransactions = inTransactions;
    }

    static RedisEngine alone() {
        return new RedisEngine(false);
    }

    static RedisEngine inTransactions() {
        return new RedisEngine(true);
    }

    @Override
    public OutboxBackend backend() {
        return redis.backend();
    }

    @Override
    public void inTransaction(Runnable work) {
        if (inTransactions) {
            redis.inTransaction(commands -> work.run());
        } else {
            work.run();
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
