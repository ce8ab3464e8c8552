package io.outbox.jdbc.contract;

import io.outbox.testing.contract.DeliveryContract;
import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OutboxBackendContract;
import io.outbox.testservers.PostgresServer;
import org.junit.jupiter.api.Nested;

/** Runs the contracts on PostgreSQL. */
class PostgresContractTest {

    private static final String URL = PostgresServer.shared().newDatabase();

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
            super(PostgresContractTest::engine);
        }
    }
}
