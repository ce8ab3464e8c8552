package io.outbox.inbox;

import io.outbox.testservers.TiDbServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Runs the contracts on TiDB, if {@code OUTBOX_TEST_TIDB_URL} names a server. */
@Tag("tidb")
class TiDbInboxTest {

    private static final String URL = TiDbServer.shared().newDatabase();

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
