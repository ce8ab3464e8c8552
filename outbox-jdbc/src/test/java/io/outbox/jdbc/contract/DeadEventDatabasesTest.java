package io.outbox.jdbc.contract;

import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testing.contract.DeadEventContract;
import io.outbox.testing.contract.EngineUnderTest;
import java.util.function.Function;
import org.junit.jupiter.api.Nested;

/** Runs the contract of dead events on every database: in the outbox table, and as dead letters. */
class DeadEventDatabasesTest {

    /** An engine on one database. */
    abstract static class OnDatabase extends DeadEventContract {

        private final String url;
        private final Function<String, JdbcEngine> engine;

        OnDatabase(String url, Function<String, JdbcEngine> engine) {
            this.url = url;
            this.engine = engine;
        }

        @Override
        protected EngineUnderTest createEngine() {
            return engine.apply(url);
        }
    }

    private static final String H2 = TestDatabase.H2.newUrl();

    @Nested
    class H2Outbox extends OnDatabase {
        H2Outbox() {
            super(H2, JdbcEngine::new);
        }
    }

    @Nested
    class H2Letters extends OnDatabase {
        H2Letters() {
            super(H2, JdbcEngine::withDeadLetters);
        }
    }

    private static final String POSTGRESQL = TestDatabase.POSTGRESQL.newUrl();

    @Nested
    class PostgreSqlOutbox extends OnDatabase {
        PostgreSqlOutbox() {
            super(POSTGRESQL, JdbcEngine::new);
        }
    }

    @Nested
    class PostgreSqlLetters extends OnDatabase {
        PostgreSqlLetters() {
            super(POSTGRESQL, JdbcEngine::withDeadLetters);
        }
    }

    private static final String MYSQL = TestDatabase.MYSQL.newUrl();

    @Nested
    class MySqlOutbox extends OnDatabase {
        MySqlOutbox() {
            super(MYSQL, JdbcEngine::new);
        }
    }

    @Nested
    class MySqlLetters extends OnDatabase {
        MySqlLetters() {
            super(MYSQL, JdbcEngine::withDeadLetters);
        }
    }

    private static final String MARIADB = TestDatabase.MARIADB.newUrl();

    @Nested
    class MariaDbOutbox extends OnDatabase {
        MariaDbOutbox() {
            super(MARIADB, JdbcEngine::new);
        }
    }

    @Nested
    class MariaDbLetters extends OnDatabase {
        MariaDbLetters() {
            super(MARIADB, JdbcEngine::withDeadLetters);
        }
    }
}
