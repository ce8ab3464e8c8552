package io.outbox.jdbc.contract;

import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testing.contract.EngineUnderTest;
import io.outbox.testing.contract.OrderingContract;
import org.junit.jupiter.api.Nested;

/** Runs the contract of order by key on every database. */
class OrderingDatabasesTest {

    @Nested
    class H2 extends OrderingContract {

        private static final String URL = TestDatabase.H2.newUrl() + ";LOCK_TIMEOUT=30000";

        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.keyed(URL);
        }
    }

    @Nested
    class PostgreSql extends OrderingContract {

        private static final String URL = TestDatabase.POSTGRESQL.newUrl();

        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.keyed(URL);
        }
    }

    @Nested
    class MySql extends OrderingContract {

        private static final String URL = TestDatabase.MYSQL.newUrl();

        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.keyed(URL);
        }
    }

    @Nested
    class MariaDb extends OrderingContract {

        private static final String URL = TestDatabase.MARIADB.newUrl();

        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.keyed(URL);
        }
    }

    @Nested
    class H2WithDeadLetters extends OrderingContract {

        private static final String URL = TestDatabase.H2.newUrl() + ";LOCK_TIMEOUT=30000";

        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.keyedWithDeadLetters(URL);
        }
    }

    @Nested
    class PostgreSqlWithDeadLetters extends OrderingContract {

        private static final String URL = TestDatabase.POSTGRESQL.newUrl();

        @Override
        protected EngineUnderTest createEngine() {
            return JdbcEngine.keyedWithDeadLetters(URL);
        }
    }
}
