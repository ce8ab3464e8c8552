package io.outbox.jdbc.dead;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.oraclestandin.OracleStandIn;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Sends the statements of the contract of dead letters to a database that takes only what Oracle's grammar and rules
 * allow.
 */
@Tag("soak")
class OracleStandInDeadLetterTest extends DeadLetterContract {

    private static final String URL = OracleStandIn.newDatabase();

    OracleStandInDeadLetterTest() {
        super(URL);
    }

    @AfterAll
    static void nothingWasRefused() {
        assertThat(OracleStandIn.refused()).isEmpty();
    }
}
