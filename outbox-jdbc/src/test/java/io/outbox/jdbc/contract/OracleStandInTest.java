package io.outbox.jdbc.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.oraclestandin.OracleStandIn;
import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OutboxBackendContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Sends the statements of the contracts to a database that takes only what Oracle's grammar and rules allow. */
@Tag("soak")
class OracleStandInTest {

    private static final String URL = OracleStandIn.newDatabase();

    @AfterAll
    static void nothingWasRefused() {
        assertThat(OracleStandIn.refused()).isEmpty();
    }

    @Nested
    class Backend extends OutboxBackendContract {
        @Override
        protected EngineUnderTest createEngine() {
            return new JdbcEngine(URL);
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
    class Store extends JdbcStoreContract {
        Store() {
            super(() -> new JdbcEngine(URL));
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
