package io.outbox.jdbc.dead;

import io.outbox.testservers.OracleServer;
import org.junit.jupiter.api.Tag;

/** Runs the contract of dead letters on Oracle, if {@code OUTBOX_TEST_ORACLE_URL} names a server. */
@Tag("oracle")
class OracleDeadLetterTest extends DeadLetterContract {

    private static final String URL = OracleServer.shared().newDatabase();

    OracleDeadLetterTest() {
        super(URL);
    }
}
