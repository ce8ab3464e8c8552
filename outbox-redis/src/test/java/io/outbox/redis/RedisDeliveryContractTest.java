package io.outbox.redis;

import io.outbox.testing.contract.DeliveryContract;
import io.outbox.testing.contract.EngineUnderTest;

/** Runs the rules of delivery on Redis, with events that are written alone, in transactions and by scripts in turn. */
class RedisDeliveryContractTest extends DeliveryContract {

    @Override
    protected EngineUnderTest createEngine() {
        return RedisEngine.inEveryWay();
    }
}
