package io.outbox.redis;

import io.outbox.testing.contract.DeliveryContract;
import io.outbox.testing.contract.EngineUnderTest;
import org.junit.jupiter.api.Nested;

/** Runs the rules of delivery on Redis. */
class RedisDeliveryContractTest {

    @Nested
    class Alone extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return RedisEngine.alone();
        }
    }

    @Nested
    class InTransactions extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return RedisEngine.inTransactions();
        }
    }
}
