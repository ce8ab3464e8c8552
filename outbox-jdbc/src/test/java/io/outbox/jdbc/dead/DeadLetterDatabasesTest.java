package io.outbox.jdbc.dead;

import io.outbox.jdbc.support.TestDatabase;
import org.junit.jupiter.api.Nested;

/** Runs the contract of dead letters on every database. */
class DeadLetterDatabasesTest {

    @Nested
    class H2 extends DeadLetterContract {
        private static final String URL = TestDatabase.H2.newUrl();

        H2() {
            super(URL);
        }
    }

    @Nested
    class PostgreSql extends DeadLetterContract {
        private static final String URL = TestDatabase.POSTGRESQL.newUrl();

        PostgreSql() {
            super(URL);
        }
    }

    @Nested
    class MySql extends DeadLetterContract {
        private static final String URL = TestDatabase.MYSQL.newUrl();

        MySql() {
            super(URL);
        }
    }

    @Nested
    class MariaDb extends DeadLetterContract {
        private static final String URL = TestDatabase.MARIADB.newUrl();

        MariaDb() {
            super(URL);
        }
    }
}
