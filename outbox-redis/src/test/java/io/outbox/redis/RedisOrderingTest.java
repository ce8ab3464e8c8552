package io.outbox.redis;

import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OrderingContract;

/**
 * Runs the rules of order by key on Redis, with events that are written alone, in transactions and by scripts in turn.
 */
class RedisOrderingTest extends OrderingContract {

    @Override
    protected EngineUnderTest createEngine() {
        return RedisEngine.inEveryWay();
    }
}
