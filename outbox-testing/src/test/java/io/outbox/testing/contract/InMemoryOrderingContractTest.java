package io.outbox.testing.contract;

import java.time.Clock;
import org.junit.jupiter.api.Nested;

/** Runs the rules of order by key on both kinds of the engine in memory. */
class InMemoryOrderingContractTest {

    @Nested
    class WithTransactions extends OrderingContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withTransactions(Clock.systemUTC());
        }
    }

    @Nested
    class WithoutTransactions extends OrderingContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withoutTransactions(Clock.systemUTC());
        }
    }
}
