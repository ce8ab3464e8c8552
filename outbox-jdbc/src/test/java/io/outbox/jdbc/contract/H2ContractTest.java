package io.outbox.jdbc.contract;

import io.outbox.testing.contract.DeliveryContract;
import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OutboxBackendContract;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

/** Runs the contracts on H2. */
class H2ContractTest {

    private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private static JdbcEngine engine() {
        return new JdbcEngine(URL);
    }

    @Nested
    class Backend extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return engine();
        }
    }

    @Nested
    class Delivery extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return engine();
        }
    }

    @Nested
    class Store extends JdbcStoreContract {
        Store() {
            super(H2ContractTest::engine);
        }
    }

    @Nested
    class BackendWithDeadLetters extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.withDeadLettersOnSchedule(URL);
        }
    }

    @Nested
    class DeliveryWithDeadLetters extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.withDeadLetters(URL);
        }
    }
}
