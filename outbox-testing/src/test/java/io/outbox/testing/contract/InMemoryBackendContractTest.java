package io.outbox.testing.contract;

import io.outbox.testing.ManualClock;
import java.time.Clock;
import org.junit.jupiter.api.Nested;

/** Runs the rules of the storage seam on both kinds of the engine in memory. */
class InMemoryBackendContractTest {

    @Nested
    class WithTransactionsOnManualTime extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withTransactions(new ManualClock());
        }
    }

    @Nested
    class WithTransactionsInRealTime extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withTransactions(Clock.systemUTC());
        }
    }

    @Nested
    class WithoutTransactionsOnManualTime extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withoutTransactions(new ManualClock());
        }
    }

    @Nested
    class WithoutTransactionsInRealTime extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return InMemoryEngine.withoutTransactions(Clock.systemUTC());
        }
    }
}
