package io.outbox.inbox;

import io.outbox.testservers.OracleServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Runs the contracts on Oracle, if {@code OUTBOX_TEST_ORACLE_URL} names a server. */
@Tag("oracle")
class OracleInboxTest {

    private static final String URL = OracleServer.shared().newDatabase();

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
