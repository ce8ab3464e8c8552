package io.outbox.testing.contract;

import java.time.Clock;
import org.junit.jupiter.api.Nested;

/** Runs the rules of delivery on both kinds of the engine in memory. */
class InMemoryDeliveryContractTest {

    @Nested
    class WithTransactions extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withTransactions(Clock.systemUTC());
        }
    }

    @Nested
    class WithoutTransactions extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withoutTransactions(Clock.systemUTC());
        }
    }
}
