package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.oraclestandin.OracleStandIn;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/**
 * Sends the statements of the contracts for Oracle to a database that takes only what Oracle's grammar and rules allow.
 */
class OracleStandInTest {

    private static final String URL = OracleStandIn.newDatabase();

    @AfterAll
    static void nothingWasRefused() {
        assertThat(OracleStandIn.refused()).isEmpty();
    }

    @Nested
    class Consume extends ConsumeContract {
        Consume() {
            super(URL);
        }
    }

    @Nested
    class Race extends RaceContract {
        Race() {
            super(URL, "TRANSACTION_READ_COMMITTED");
        }
    }

    @Nested
    class CleanUp extends CleanUpContract {
        CleanUp() {
            super(URL);
        }
    }
}
