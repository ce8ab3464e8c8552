package io.outbox.jdbc.contract;

import io.outbox.testing.contract.DeliveryContract;
import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OutboxBackendContract;
import io.outbox.testservers.OracleServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Runs the contracts on Oracle, if {@code OUTBOX_TEST_ORACLE_URL} names a server. */
@Tag("oracle")
class OracleContractTest {

    private static final String URL = OracleServer.shared().newDatabase();

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
            super(OracleContractTest::engine);
        }
    }

    @Nested
    class DeliveryWithDeadLetters extends DeliveryContract {
        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.withDeadLetters(URL);
        }
    }

    @Nested
    class DeadEvents extends DeadEventDatabasesTest.OnDatabase {
        DeadEvents() {
            super(URL, JdbcEngine::new);
        }
    }

    @Nested
    class DeadLetters extends DeadEventDatabasesTest.OnDatabase {
        DeadLetters() {
            super(URL, JdbcEngine::withDeadLetters);
        }
    }
}
