package io.outbox.redis;

import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OutboxBackendContract;

/** Runs the rules of the storage seam on Redis. */
class RedisBackendContractTest extends OutboxBackendContract {

    @Override
    protected EngineUnderTest createEngine() {
        return RedisEngine.alone();
    }
}
