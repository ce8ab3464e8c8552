package io.outbox.redis;

import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OutboxBackendContract;
import org.junit.jupiter.api.Nested;

/** Runs the rules of the storage seam on Redis. */
class RedisBackendContractTest {

    @Nested
    class Alone extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return RedisEngine.alone();
        }
    }

    @Nested
    class InTransactions extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return RedisEngine.inTransactions();
        }
    }
}
