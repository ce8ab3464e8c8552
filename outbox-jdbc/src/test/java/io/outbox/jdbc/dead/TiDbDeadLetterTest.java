package io.outbox.jdbc.dead;

import io.outbox.testservers.TiDbServer;
import org.junit.jupiter.api.Tag;

/** Runs the contract of dead letters on TiDB, if {@code OUTBOX_TEST_TIDB_URL} names a server. */
@Tag("tidb")
class TiDbDeadLetterTest extends DeadLetterContract {

    private static final String URL = TiDbServer.shared().newDatabase();

    TiDbDeadLetterTest() {
        super(URL);
    }
}
