package io.outbox.inbox;

import org.junit.jupiter.api.Nested;

/** Runs the contracts on MariaDB. */
class MariaDbInboxTest {

    private static final String URL = TestDatabase.MARIADB.newUrl();

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
    class RaceAtRepeatableRead extends RaceContract {
        RaceAtRepeatableRead() {
            super(URL, "TRANSACTION_REPEATABLE_READ");
        }
    }

    @Nested
    class CleanUp extends CleanUpContract {
        CleanUp() {
            super(URL);
        }
    }

    @Nested
    class Schema extends SchemaContract {
        Schema() {
            super(TestDatabase.MARIADB);
        }
    }
}
